//! The page in a real browser, used as a person would: files are picked, words typed, keys pressed, steps
//! clicked.
//!
//! Needs `chromium` and `chromedriver`; says loudly that it was skipped where they are missing. With
//! `MAPO_SCREENSHOTS=DIR` it leaves pictures of what it saw.

mod asking;
mod correcting;
mod links;
mod looking;
mod phones;
mod runs;
#[path = "../support/mod.rs"]
mod support;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use mapo_web::Options;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::Running;

/// A driver of browsers, ended when it is dropped.
struct Driver {
    process: Child,
    port: u16,
    /// Where the browsers keep what browsers keep.
    profiles: tempfile::TempDir,
}

impl Driver {
    fn start() -> Option<Driver> {
        let there = |program: &str| {
            Command::new(program)
                .arg("--version")
                .output()
                .is_ok_and(|ran| ran.status.success())
        };
        for program in ["chromium", "chromedriver"] {
            if !there(program) {
                eprintln!(
                    "SKIPPED: {program} is missing, so the page was not tried in a browser; install chromium and chromium-driver"
                );
                return None;
            }
        }
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        // "ChromeDriver was started successfully on port 1234."
        let port = lines.map_while(Result::ok).find_map(|line| {
            let rest = line.split_once("successfully on port ")?.1;
            rest.trim_end_matches('.').parse().ok()
        });
        Some(Driver {
            port: port.expect("chromedriver tells its port"),
            process,
            profiles: tempfile::tempdir().expect("a folder"),
        })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A command of the browser's own debugging language: sizes of phones, and colours that the system prefers.
#[derive(Debug)]
struct Cdp(&'static str, Value);

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!(
            "session/{}/goog/cdp/execute",
            session.unwrap_or_default()
        ))
    }

    fn method_and_body(&self, _: &url::Url) -> (axum::http::Method, Option<String>) {
        let body = json!({ "cmd": self.0, "params": self.1 });
        (axum::http::Method::POST, Some(body.to_string()))
    }
}

/// Whether what has the focus shows it, by itself or by what stands for it.
const RING: &str = "[document.activeElement, document.activeElement.nextElementSibling, document.activeElement.closest('form')].some(one => one && getComputedStyle(one).outlineStyle !== 'none')";

/// A person at the page.
struct Person<'a> {
    browser: Client,
    server: &'a Running,
}

impl<'a> Person<'a> {
    async fn arrive(driver: &Driver, server: &'a Running, name: &str) -> Person<'a> {
        let profile = driver.profiles.path().join(name);
        let options = json!({ "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", format!("--user-data-dir={}", profile.display()),
        ] });
        let mut wanted = serde_json::Map::new();
        wanted.insert("goog:chromeOptions".to_owned(), options);
        let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        let address = format!("http://127.0.0.1:{}", driver.port);
        let connected = builder.capabilities(wanted).connect(&address).await;
        let person = Person {
            browser: connected.expect("a browser"),
            server,
        };
        person.size(1280, 860).await;
        person.prefers("light").await;
        person
    }

    async fn go(&self, path: &str) {
        let address = format!("http://{}{path}", self.server.address);
        self.browser.goto(&address).await.expect("the page opens");
    }

    async fn cdp(&self, command: &'static str, parameters: Value) {
        let done = self.browser.issue_cmd(Cdp(command, parameters)).await;
        done.expect("the browser does it");
    }

    async fn size(&self, width: u32, height: u32) {
        let mobile = width < 500;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    async fn prefers(&self, scheme: &str) {
        // Without movement there is nothing to wait for.
        let features = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ] });
        self.cdp("Emulation.setEmulatedMedia", features).await;
    }

    /// Evaluates an expression in the page.
    async fn sees(&self, expression: &str) -> Value {
        let script = format!("return ({expression})");
        self.browser
            .execute(&script, vec![])
            .await
            .expect("an expression")
    }

    /// Waits until something is so.
    async fn wait(&self, what: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        while self.sees(&format!("Boolean({what})")).await != json!(true) {
            if Instant::now() > end {
                let text = self.sees("document.body.innerText").await;
                panic!("waited in vain for {what}; the page says {text}");
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    async fn find(&self, css: &str) -> Element {
        let found = self
            .browser
            .wait()
            .at_most(Duration::from_secs(20))
            .for_element(Locator::Css(css))
            .await;
        found.unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    async fn click(&self, css: &str) {
        self.find(css)
            .await
            .click()
            .await
            .unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    async fn text(&self, css: &str) -> String {
        self.find(css).await.text().await.expect("its text")
    }

    async fn type_into(&self, css: &str, text: &str) {
        self.find(css).await.send_keys(text).await.expect("typing");
    }

    /// Presses a key where the focus is.
    async fn press(&self, key: Key) {
        let value = char::from(key);
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value });
        self.browser.perform_actions(keys).await.expect("a key");
    }

    /// Presses a key while another is held.
    async fn press_with(&self, held: Key, key: Key) {
        let (held, value) = (char::from(held), char::from(key));
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: held })
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value })
            .then(KeyAction::Up { value: held });
        self.browser.perform_actions(keys).await.expect("a key");
    }

    /// Presses Tab until something has the focus, as a person would who looks for it; each thing on the way shows that it has it.
    async fn tab_to(&self, css: &str) {
        let mut way = Vec::new();
        for _ in 0..80 {
            self.press(Key::Tab).await;
            let there = format!("document.activeElement.matches({})", json!(css));
            let place = self.sees("document.activeElement.outerHTML.slice(0, 90)").await;
            // Between the end of the page and its beginning the browser's own things have it.
            let is_outside = self.sees("document.activeElement === document.body").await == json!(true);
            assert!(
                is_outside || self.sees(RING).await == json!(true),
                "{place} has the focus and does not show it"
            );
            if self.sees(&there).await == json!(true) {
                return;
            }
            way.push(place.to_string());
        }
        panic!("{css} is not on the way: {way:#?}");
    }

    /// Types where the focus is.
    async fn type_here(&self, text: &str) {
        let focused = self.browser.active_element().await.expect("a focus");
        focused.send_keys(text).await.expect("typing");
    }

    /// The marked cells, as a person reads them.
    async fn marked(&self) -> Vec<String> {
        let cells = self
            .sees("[...document.querySelectorAll('td.used')].map(cell => cell.innerText)")
            .await;
        serde_json::from_value(cells).expect("texts")
    }

    async fn picture(&self, name: &str) {
        if let Some(folder) = std::env::var_os("MAPO_SCREENSHOTS") {
            let picture = self.browser.screenshot().await.expect("a picture");
            std::fs::create_dir_all(&folder).expect("the folder of pictures");
            std::fs::write(Path::new(&folder).join(format!("{name}.png")), picture).expect("the picture");
        }
    }

    /// Nothing stands out of the page to the side.
    async fn fits(&self) {
        let [page, window] = ["document.documentElement.scrollWidth", "innerWidth"];
        let (page, window) = (self.sees(page).await, self.sees(window).await);
        assert!(
            page.as_u64() <= window.as_u64(),
            "the page is {page} wide, the window {window}"
        );
    }

    async fn leave(self) {
        self.browser.close().await.expect("the browser closes");
    }
}

fn file(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a file");
    path.display().to_string()
}

/// Runs a story on a driver and a server of its own, unless there is no browser.
fn story<F: Future<Output = ()>>(options: Options, tell: impl FnOnce(Driver, &'static Running) -> F) {
    let Some(driver) = Driver::start() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    // A story borrows its server until the process ends.
    let server: &'static Running = Box::leak(Box::new(Running::start(options)));
    runtime.block_on(tell(driver, server));
}

const PEOPLE: &[u8] =
    b"Name,Hometown,Occupation\nWilliam Stuart Price,Tulsa,Businessman\nAnne Lister,Halifax,Landowner\n\
    Mary Cole,Tulsa,Singer\n\"<img src=x onerror=\"\"document.title='owned'\"\">\",Tulsa,Villain\n";
