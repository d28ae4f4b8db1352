//! The page in a real browser, used as a person would: files are picked, words typed, keys pressed, steps
//! clicked.
//!
//! Needs `chromium` and `chromedriver`; says loudly that it was skipped where they are missing. With
//! `MAPO_SCREENSHOTS=DIR` it leaves pictures of what it saw.

mod support;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use mapo_core::Progress;
use mapo_datasets::{Dataset, Selection};
use mapo_training::{Origin, RunConfig, Session, Settings};
use mapo_web::Options;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
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

#[test]
fn a_person_uploads_asks_and_looks_at_the_steps() {
    story(Options::default(), |driver, server| async move {
        let person = Person::arrive(&driver, server, "upload").await;
        let folder = tempfile::tempdir().unwrap();
        person.go("/").await;
        person.find("#examples button").await;
        person.picture("welcome").await;

        // A file that is no table: the page says what is wrong, and goes on.
        let bad = file(folder.path(), "photo.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0");
        person.type_into("#file", &bad).await;
        let problem = person.text("#open-problem .problem").await;
        assert!(problem.contains("photo.csv"), "{problem}");
        person.picture("bad-file").await;
        person
            .type_into("#file", &file(folder.path(), "empty.csv", b""))
            .await;
        person
            .wait("document.querySelector('#open-problem').innerText.includes('is empty')")
            .await;

        // A good one.
        person
            .type_into("#file", &file(folder.path(), "people.csv", PEOPLE))
            .await;
        person
            .wait("document.querySelectorAll('tbody tr').length === 4")
            .await;
        assert_eq!(person.text("#table-name").await, "people.csv");
        // What stands in cells stays text.
        assert_eq!(
            person.sees("document.querySelectorAll('td img').length").await,
            json!(0)
        );
        assert!(
            person
                .sees("document.title")
                .await
                .as_str()
                .unwrap()
                .contains("people.csv")
        );

        person
            .type_into("#question", "how many people are from tulsa?")
            .await;
        person.click("#ask-button").await;
        person.wait("document.querySelector('.answer')").await;
        assert_eq!(person.text(".answer").await, "3");
        let status = person.sees("document.querySelector('#status').textContent").await;
        assert!(status.as_str().unwrap().starts_with("Answer: 3"), "{status}");
        assert!(person.text(".sure").await.contains('%'));

        // The first step: its rows and its cells.
        person.click(".step[data-step='0']").await;
        person
            .wait("document.querySelectorAll('td.used').length === 3")
            .await;
        assert_eq!(person.marked().await, ["Tulsa", "Tulsa", "Tulsa"]);
        assert_eq!(
            person
                .sees("[...document.querySelectorAll('tr.inside')].map(row => row.dataset.row)")
                .await,
            json!(["0", "2", "3"])
        );
        person.picture("steps").await;
        // Only those rows, by the switch.
        person.click(".switch button:last-child").await;
        person
            .wait("document.querySelectorAll('tbody tr').length === 3")
            .await;

        // A number tells where it comes from, by the keyboard as by the mouse, and points at it.
        person
            .browser
            .execute("document.querySelector('.answer .item').focus()", vec![])
            .await
            .unwrap();
        person.wait("document.querySelector('#tip:not([hidden])')").await;
        let told = person.text("#tip").await;
        assert!(
            told.contains("3 cells") && told.contains("Hometown: Tulsa (row 1)"),
            "{told}"
        );
        person
            .wait("document.querySelectorAll('td.pointed').length === 3")
            .await;
        person.picture("number").await;
        person.press(Key::Escape).await;
        person.wait("document.querySelector('#tip').hidden").await;

        // SQL is there to read and to copy; also for the file itself, and that it was not run is said.
        person.click(".code summary").await;
        assert!(person.text(".code pre").await.to_uppercase().contains("SELECT"));
        person.click(".on-file summary").await;
        let on_file = person.text(".on-file pre").await;
        assert!(on_file.contains("read_csv('people.csv'"), "{on_file}");
        assert!(person.text(".on-file .hint").await.contains("Not run here"));

        // An earlier question comes back.
        person.find("#question").await.clear().await.unwrap();
        person
            .type_into("#question", "what is the occupation of mary cole?\u{E007}")
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Singer'")
            .await;
        person.click("#history button").await;
        person
            .wait("document.querySelector('.answer').innerText === '3'")
            .await;

        // Nothing typed is told, not sent.
        person.find("#question").await.clear().await.unwrap();
        person.click("#ask-button").await;
        person
            .wait("document.querySelector('#ask-problem .problem')")
            .await;

        // A reload keeps the table, the question and the earlier ones; forgetting the table does not.
        person.browser.refresh().await.unwrap();
        person
            .wait("document.querySelector('.answer')?.innerText === '3'")
            .await;
        person
            .wait("document.querySelectorAll('#history button').length === 1")
            .await;
        person.click("#forget").await;
        person.wait("!document.querySelector('#welcome').hidden").await;
        assert_eq!(server.get("/api/health").json()["sessions"]["tables"], 0);
        assert_eq!(person.sees("performance.getEntriesByType('resource').filter(entry => !entry.name.startsWith(location.origin)).length").await, json!(0));
        person.leave().await;
    });
}

#[test]
fn the_keyboard_alone_is_enough() {
    story(Options::default(), |driver, server| async move {
        let person = Person::arrive(&driver, server, "keys").await;
        person.go("/").await;
        person.find("#examples button").await;
        // From the top of the page to an example by the Tab key, with a ring around what has the focus.
        let mut on_the_way = Vec::new();
        for _ in 0..30 {
            person.press(Key::Tab).await;
            let ring = "getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement.nextElementSibling ?? document.body).outlineStyle";
            let place = person.sees("document.activeElement.id || document.activeElement.dataset.table || document.activeElement.innerText").await;
            let ring = person.sees(ring).await;
            assert!(
                ring.as_str().unwrap().contains("solid"),
                "{place} has the focus and does not show it"
            );
            on_the_way.push(place.as_str().unwrap().to_owned());
            if place == "lighthouses" {
                break;
            }
        }
        assert_eq!(on_the_way[0], "Skip to the content");
        for stop in ["file", "paste-button", "lighthouses"] {
            assert!(
                on_the_way.iter().any(|place| place == stop),
                "{stop} is not on {on_the_way:?}"
            );
        }
        person.press(Key::Enter).await;
        person.wait("document.activeElement.id === 'question'").await;
        person
            .type_here("which lighthouses are on the same island as Mirk Point?")
            .await;
        person.press(Key::Enter).await;
        person.wait("document.querySelector('.step')").await;
        // To the steps, and along them with the arrows.
        for _ in 0..30 {
            person.press(Key::Tab).await;
            if person.sees("document.activeElement.className").await == "step" {
                break;
            }
        }
        person.press(Key::Down).await;
        person
            .wait("document.querySelector('.step[aria-current]')?.dataset.step === '1'")
            .await;
        person
            .wait("document.querySelectorAll('td.used').length > 0")
            .await;
        let said = person.sees("document.querySelector('#status').textContent").await;
        assert!(said.as_str().unwrap().starts_with("Step 2:"), "{said}");
        person.press(Key::End).await;
        person
            .wait("document.querySelector('.step[aria-current]')?.dataset.step === '2'")
            .await;
        person.wait("[...document.querySelectorAll('td.used')].map(cell => cell.innerText).join() === 'Black Weir,Tarn Spit'").await;
        // Everything that can be used has a name.
        let nameless = person.sees("[...document.querySelectorAll('button, input, textarea, a, [tabindex]')].filter(one => one.checkVisibility() && !(one.innerText || one.ariaLabel || one.labels?.length || one.id === 'main')).map(one => one.outerHTML.slice(0, 80))").await;
        assert_eq!(nameless, json!([]));
        person.leave().await;
    });
}

#[test]
fn dark_phones_and_large_tables() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("Name,Town,Points\n");
    for n in 0..3_000 {
        rows.push_str(&format!("runner {n},town {},{}\n", n % 40, n * 7 % 1000));
    }
    let large = PathBuf::from(file(folder.path(), "runners.csv", rows.as_bytes()));
    let options = Options {
        tables: vec![large],
        ..Options::default()
    };
    story(options, |driver, server| async move {
        let person = Person::arrive(&driver, server, "dark").await;
        let brightness = |css: &str| {
            format!(
                "(() => {{ const canvas = document.createElement('canvas').getContext('2d'); canvas.fillStyle = getComputedStyle(document.querySelector('{css}')).backgroundColor; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data[0]; }})()"
            )
        };
        // Dark as the system says, light by the button, and light again after a reload.
        person.prefers("dark").await;
        person.go("/?table=lighthouses").await;
        person.click("#suggestions li:nth-child(1) button").await;
        person
            .wait("document.querySelectorAll('td.used').length > 0")
            .await;
        assert!(person.sees(&brightness("body")).await.as_u64() < Some(60));
        person.picture("dark").await;
        person.click("#theme").await;
        assert!(person.sees(&brightness("body")).await.as_u64() > Some(200));
        person.browser.refresh().await.unwrap();
        person.find("tbody tr").await;
        assert!(person.sees(&brightness("body")).await.as_u64() > Some(200));

        // A phone of 360 points: nothing stands out, and the table scrolls in its own box.
        person.size(360, 740).await;
        for path in ["/", "/?table=lighthouses", "/runs", "/api"] {
            person.go(path).await;
            person.wait("document.readyState === 'complete'").await;
            person.fits().await;
        }
        person.go("/?table=regatta").await;
        person.click("#suggestions li:nth-child(1) button").await;
        person
            .wait("document.querySelectorAll('td.used').length > 0")
            .await;
        person.fits().await;
        // The answer comes first, then its rows, then the rest.
        let tops =
            "['answer', 'grid', 'how'].map(id => document.getElementById(id).getBoundingClientRect().top)";
        let tops: Vec<f64> = serde_json::from_value(person.sees(tops).await).unwrap();
        assert!(tops[0] < tops[1] && tops[1] < tops[2], "{tops:?}");
        assert!(
            person
                .sees("[...document.querySelectorAll('tbody tr')].every(row => row.className === 'inside')")
                .await
                == json!(true)
        );
        person.picture("phone-answer").await;
        assert!(person.sees("document.querySelector('.scroll').scrollWidth > document.querySelector('.scroll').clientWidth").await == json!(true));
        let small = person.sees("[...document.querySelectorAll('button')].filter(one => one.offsetParent && one.getBoundingClientRect().height < 24).length").await;
        assert_eq!(small, json!(0), "some buttons are too small for a finger");
        // A step that is touched brings the table into view, and a button leads back.
        person.click(".step[data-step='1']").await;
        person
            .wait("document.querySelector('#grid').getBoundingClientRect().top < 100")
            .await;
        person.wait("[...document.querySelectorAll('td.used')].map(cell => cell.innerText).join() === 'Carla Nunes'").await;
        person.picture("phone").await;
        person.click(".to-steps").await;
        person.wait("document.activeElement.dataset.step === '1'").await;

        // A large table: a page of it, the next page, a row by its number, and only the rows of a step.
        person.size(1280, 860).await;
        person.go("/?table=table-1").await;
        person
            .wait("document.querySelectorAll('tbody tr').length === 50")
            .await;
        person.click(".grid-foot button:nth-of-type(2)").await;
        person
            .wait("document.querySelector('tbody tr')?.dataset.row === '50'")
            .await;
        person.type_into("#row-wanted", "2718\u{E007}").await;
        person
            .wait("document.querySelector('tbody tr')?.dataset.row === '2700'")
            .await;
        person
            .type_into("#question", "how many runners are from town 7?\u{E007}")
            .await;
        person.wait("document.querySelector('.step')").await;
        person.click(".step[data-step='0']").await;
        person
            .wait("document.querySelector('.switch [aria-pressed=true]')?.innerText.startsWith('Only these')")
            .await;
        person
            .wait("[...document.querySelectorAll('tbody tr')].every(row => row.className === 'inside')")
            .await;
        person.leave().await;
    });
}

const ORDERS: &str = "Order,Customer,Town,Placed,Loaves,Price\n\
    O-9,Ferry Inn,Oldport,2024-03-02,4,12.50\n\
    O-10,Rosa Lindqvist,Harrowby,2024-03-05,12,36.00\n\
    O-11,Ferry Inn,Oldport,2024-03-01,2,7.25\n\
    O-12,Mill House,Harrowby,2024-03-09,7,21.00\n\
    O-13,Anna Bergström,Tarn,2024-02-28,1,3.60\n";

/// The first cells of the rows that are shown.
const FIRST: &str = "[...document.querySelectorAll('tbody tr')].map(row => row.cells[1].innerText).join()";

#[test]
fn a_person_sorts_filters_searches_and_downloads() {
    story(Options::default(), |driver, server| async move {
        let person = Person::arrive(&driver, server, "looking").await;
        let folder = tempfile::tempdir().unwrap();
        let downloads = folder.path().join("downloads");
        std::fs::create_dir(&downloads).unwrap();
        let allowed = json!({ "behavior": "allow", "downloadPath": downloads.display().to_string() });
        person.cdp("Browser.setDownloadBehavior", allowed).await;
        person.go("/").await;
        person
            .type_into("#file", &file(folder.path(), "orders.csv", ORDERS.as_bytes()))
            .await;
        person
            .wait(&format!("{FIRST} === 'O-9,O-10,O-11,O-12,O-13'"))
            .await;

        // Questions of its own are suggested, and answered surely.
        person
            .wait("document.querySelectorAll('#suggestions button').length > 1")
            .await;
        person.picture("suggested").await;

        // By a number, up, down, and as it was.
        let price = "th[data-column='5'] .sort";
        person.click(price).await;
        person
            .wait(&format!("{FIRST} === 'O-13,O-11,O-9,O-12,O-10'"))
            .await;
        assert_eq!(
            person
                .sees("document.querySelector('th[data-column=\"5\"]').ariaSort")
                .await,
            "ascending"
        );
        person.click(price).await;
        person
            .wait(&format!("{FIRST} === 'O-10,O-12,O-9,O-11,O-13'"))
            .await;
        person.picture("sorted").await;
        person.click(price).await;
        person
            .wait(&format!("{FIRST} === 'O-9,O-10,O-11,O-12,O-13'"))
            .await;

        // Words, and how many rows have them; the focus stays where somebody types.
        person.type_into(".search", "harrowby").await;
        person.wait(&format!("{FIRST} === 'O-10,O-12'")).await;
        assert_eq!(person.text(".found").await, "2 of 5 rows");
        assert_eq!(person.sees("document.activeElement.className").await, "search");
        person.find(".search").await.clear().await.unwrap();
        person.type_into(".search", " ").await;
        person
            .wait(&format!("{FIRST} === 'O-9,O-10,O-11,O-12,O-13'"))
            .await;

        // Filters, with the keyboard: one for each column, and what is wrong is told.
        person.click(".looking button[aria-expanded]").await;
        person.wait("document.activeElement.dataset.filter === '0'").await;
        for _ in 0..4 {
            person.press(Key::Tab).await;
        }
        person.type_here(">3").await;
        person.wait(&format!("{FIRST} === 'O-9,O-10,O-12'")).await;
        assert_eq!(person.sees("document.activeElement.dataset.filter").await, "4");
        person.press(Key::Tab).await;
        person.type_here(">x").await;
        person
            .wait("document.querySelector('#grid-problem').innerText.includes('neither a number nor a date')")
            .await;
        person.press(Key::Backspace).await;
        person.type_here("20").await;
        person.wait(&format!("{FIRST} === 'O-10,O-12'")).await;
        person
            .wait("document.querySelector('#grid-problem').innerText === ''")
            .await;
        person.click(price).await;
        person.wait(&format!("{FIRST} === 'O-12,O-10'")).await;
        person.picture("filtered").await;

        // These rows as a file, as they are shown.
        person.click(".looking a").await;
        let saved = downloaded(&downloads, "orders-rows.csv").await;
        assert_eq!(
            saved,
            "Order,Customer,Town,Placed,Loaves,Price\nO-12,Mill House,Harrowby,2024-03-09,7,21.00\n\
             O-10,Rosa Lindqvist,Harrowby,2024-03-05,12,36.00\n"
        );
        std::fs::remove_file(downloads.join("orders-rows.csv")).unwrap();
        person.click(".looking button:not([aria-expanded])").await;
        person
            .wait(&format!("{FIRST} === 'O-9,O-10,O-11,O-12,O-13'"))
            .await;

        // The rows behind an answer as a file.
        person
            .type_into("#question", "how many orders came from Oldport?\u{E007}")
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === '2'")
            .await;
        person.click(".switch button:last-child").await;
        person.wait(&format!("{FIRST} === 'O-9,O-11'")).await;
        person.click(".looking a").await;
        let saved = downloaded(&downloads, "orders-rows.csv").await;
        assert_eq!(saved.lines().count(), 3, "{saved}");
        assert!(saved.contains("\nO-9,") && saved.contains("\nO-11,"), "{saved}");
        person.leave().await;
    });
}

/// What the browser has saved, once it has.
async fn downloaded(folder: &Path, name: &str) -> String {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Ok(saved) = std::fs::read_to_string(folder.join(name)) {
            return saved;
        }
        assert!(Instant::now() < end, "{name} was not saved");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn a_link_holds_table_and_question() {
    let folder = tempfile::tempdir().unwrap();
    let wide = {
        let header: Vec<String> = (0..30).map(|n| format!("a rather long heading {n}")).collect();
        let row = |name: &str, last: &str| {
            let mut cells = vec![name.to_owned()];
            cells.extend((1..29).map(|n| format!("a cell in column {n}")));
            cells.push(last.to_owned());
            cells.join(",")
        };
        let header = format!("Name,{},Town", header[1..29].join(","));
        format!(
            "{header}\n{}\n{}\n{}\n",
            row("Ada", "Oslo"),
            row("Ben", "Rome"),
            row("Eva", "Oslo")
        )
    };
    let options = Options {
        tables: vec![PathBuf::from(file(folder.path(), "wide.csv", wide.as_bytes()))],
        ..Options::default()
    };
    story(options, |driver, server| async move {
        let person = Person::arrive(&driver, server, "links").await;
        // A link to an example answers at once; the next question has a link of its own, and back is back.
        person
            .go("/?table=lighthouses&q=how+many+lighthouses+are+on+Skerra%3F")
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === '4'")
            .await;
        person.find("#question").await.clear().await.unwrap();
        person
            .type_into("#question", "which island has the most lighthouses?\u{E007}")
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Skerra'")
            .await;
        let address = person.sees("location.search").await;
        assert!(address.as_str().unwrap().contains("q=which+island"), "{address}");
        person.browser.back().await.unwrap();
        person
            .wait("document.querySelector('.answer')?.innerText === '4'")
            .await;
        // The keyboard recalls what was asked.
        person.click("#question").await;
        person.press(Key::Up).await;
        person
            .wait("document.querySelector('#question').value === 'which island has the most lighthouses?'")
            .await;

        // Of a table that was made for another one it is said.
        person
            .go("/?table=bakery&name=orders.csv&q=how+many+orders%3F")
            .await;
        person
            .wait("document.querySelector('#ask-problem').innerText.includes('made for “orders.csv”')")
            .await;

        // Of one that is gone too, and the question waits for it.
        person
            .go("/?table=0123&name=people.csv&q=what+is+the+occupation+of+mary+cole%3F")
            .await;
        person
            .wait("document.querySelector('#open-problem').innerText.includes('“people.csv” is not here any more')")
            .await;
        person.picture("gone").await;
        let folder = tempfile::tempdir().unwrap();
        person
            .type_into("#file", &file(folder.path(), "people.csv", PEOPLE))
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Singer'")
            .await;

        // In a wide table the columns that explain the answer are in view together.
        person.go("/?table=table-1&q=who+is+from+Rome%3F").await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Ben'")
            .await;
        let shown = "(() => { const box = document.querySelector('.scroll').getBoundingClientRect(); return ['Name', 'Town'].every(name => [...document.querySelectorAll('thead th')].some(th => th.innerText.trim() === name && th.getBoundingClientRect().right <= box.right && th.getBoundingClientRect().left >= box.left)); })()";
        person.wait(shown).await;
        person.picture("wide").await;
        person.click(".order").await;
        person
            .wait("document.querySelector('.order').innerText === 'Columns that matter first'")
            .await;

        // Without runs the dashboard says how to begin.
        person.go("/runs").await;
        person
            .wait("document.querySelectorAll('.empty .command').length === 2")
            .await;
        person.picture("no-runs").await;
        person.leave().await;
    });
}

#[test]
fn the_dashboard_shows_a_run_as_it_goes() {
    let runs = tempfile::tempdir().unwrap();
    train(&runs.path().join("tiny"));
    let options = Options {
        runs: Some(runs.path().to_owned()),
        ..Options::default()
    };
    let folder = runs.path().to_owned();
    story(options, |driver, server| async move {
        let person = Person::arrive(&driver, server, "runs").await;
        person.go("/runs").await;
        person
            .wait("document.querySelectorAll('.curve').length >= 6")
            .await;
        assert!(person.text("#runs").await.contains("tiny"));
        assert!(person.text("#runs .state").await.contains("done"));
        let points = "document.querySelector('.curve').getAttribute('d').split(/[ML]/).length - 1";
        let lines = std::fs::read_to_string(folder.join("tiny/metrics.jsonl")).unwrap();
        assert_eq!(person.sees(points).await, json!(lines.lines().count()));
        let summary = person
            .sees("document.querySelector('.chart svg').getAttribute('aria-label')")
            .await;
        assert!(
            summary.as_str().unwrap().starts_with("Accuracy. tiny: "),
            "{summary}"
        );
        person.picture("dashboard").await;

        // Another run begins; it joins the list, and its curve grows while its last line is half written.
        let other = folder.join("again");
        std::fs::create_dir(&other).unwrap();
        let config = std::fs::read_to_string(folder.join("tiny/config.toml")).unwrap();
        std::fs::write(other.join("config.toml"), config).unwrap();
        let metrics = other.join("metrics.jsonl");
        let all: Vec<&str> = lines.split_inclusive('\n').collect();
        std::fs::write(&metrics, format!("{}{}{}", all[0], all[1], &all[2][..20])).unwrap();
        person.click("input[value='again']").await;
        let second = "document.querySelectorAll('.chart')[0].querySelectorAll('.curve')[1]?.getAttribute('d').split(/[ML]/).length - 1";
        person.wait(&format!("{second} === 2")).await;
        assert!(person.text("#runs").await.contains("running"));
        std::fs::write(&metrics, all[..4].concat()).unwrap();
        person.wait(&format!("{second} === 4")).await;
        // The arrow keys tell single values.
        person
            .browser
            .execute("document.querySelector('.chart svg').focus()", vec![])
            .await
            .unwrap();
        person.press(Key::Home).await;
        assert!(person.text(".chart figcaption span").await.contains("at step"));
        person.size(360, 740).await;
        person.fits().await;
        person.leave().await;
    });
}

/// A real run, as small as one can be.
fn train(place: &Path) {
    let mut settings = Settings::toy();
    settings.network.hidden = 32;
    settings.network.attention = 32;
    settings.network.often = 1;
    settings.batch = 12;
    settings.steps = 100;
    settings.evaluate = 10;
    settings.network.vector = 16;
    settings.explore_first.programs = 1000;
    let selection = Selection {
        limit: Some(24),
        ..Selection::default()
    };
    let run = Origin::new(&Dataset::toy(), &selection, 3, 1);
    let config = RunConfig { run, settings };
    let mut questions = config.run.questions().expect("questions");
    // It is measured by what it learns.
    questions.dev = questions.train.clone();
    let mut watch = Progress::default();
    let mut session = Session::begin(place, &config, &questions, &mut watch).expect("a run");
    session
        .train(&AtomicBool::default(), &mut |_| Ok(()))
        .expect("a run");
}

/// The name of the test below as a learner.
const LEARNER: &str = "learns_for_the_story";

/// What `mapo learn` does for `mapo serve`, for the story below: the server starts this very program with it.
#[test]
#[ignore = "a server starts it to learn"]
fn learns_for_the_story() {
    let file = PathBuf::from(std::env::args().next_back().unwrap_or_default());
    if !file.is_file() || file.extension().is_none_or(|kind| kind != "jsonl") {
        return;
    }
    let lesson = mapo_training::lesson::Lesson {
        corrections: file.clone(),
        model: PathBuf::from("box"),
        used: None,
        test: None,
        work: file.with_extension("run"),
        steps: 150,
        seed: 1,
        threads: 1,
    };
    let learnt = lesson.learn(
        &mut Progress::default(),
        &AtomicBool::new(false),
        &mut |step, of| {
            println!("{}", json!({ "step": step, "of": of }));
        },
    );
    let learnt = learnt.expect("it learns").expect("nobody stops it");
    if learnt.report.better {
        let model = file.with_file_name(mapo_datasets::corrections::LEARNT);
        learnt.save(&model).expect("the model is written");
    }
    println!("{}", serde_json::to_string(&learnt.report).expect("a report"));
}

#[test]
fn a_wrong_answer_is_corrected_and_learnt() {
    let kept = tempfile::tempdir().unwrap();
    let arguments = [LEARNER, "--exact", "--ignored", "--nocapture"];
    let options = Options {
        corrections: Some(kept.path().to_owned()),
        learner: Some((
            std::env::current_exe().expect("this program"),
            arguments.map(str::to_owned).to_vec(),
        )),
        ..Options::default()
    };
    story(options, |driver, server| async move {
        let person = Person::arrive(&driver, server, "correct").await;
        person.go("/").await;
        let workbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables/tests/files/repairs.xlsx");
        let workbook = workbook.canonicalize().unwrap();
        person.type_into("#file", &workbook.display().to_string()).await;
        person
            .wait("document.querySelector('#table-name')?.innerText === 'repairs.xlsx'")
            .await;

        // What was decided about the file is there to see, and to say otherwise.
        person.click("#decisions summary").await;
        let decided = person.text("#decisions").await;
        for said in [
            "xlsx",
            "Repairs",
            "Line with the names",
            "3",
            "Mechanic",
            "number, text",
        ] {
            let said_otherwise = said.split(", ").all(|part| decided.contains(part));
            assert!(said_otherwise, "{said} in {decided}");
        }
        person.picture("decisions").await;
        person.type_into("#decisions input[name='header']", "4").await;
        person.click("#decisions .overrule button").await;
        person
            .wait("[...document.querySelectorAll('th')].some(header => header.innerText.includes('R-101'))")
            .await;
        person.click("#decisions summary").await;
        person.type_into("#decisions input[name='header']", "99").await;
        person.click("#decisions .overrule button").await;
        assert!(person.text("#decisions .problem").await.contains("repairs.xlsx"));
        person
            .find("#decisions input[name='header']")
            .await
            .clear()
            .await
            .unwrap();
        person.type_into("#decisions input[name='header']", "3").await;
        person.click("#decisions .overrule button").await;
        person
            .wait(
                "[...document.querySelectorAll('th')].some(header => header.innerText.includes('Customer'))",
            )
            .await;

        // A wrong answer.
        let question = "who brought a bicycle for a wheel truing?";
        person
            .type_into("#question", &format!("{question}\u{E007}"))
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Ruben'")
            .await;
        person.click(".correcting .wrong").await;
        person.wait("!document.querySelector('.instead').hidden").await;
        person.picture("correct").await;
        person.click(".instead .small").await;
        assert!(person.text(".said").await.contains("Say what is right"));
        // It is a cell of the table.
        let cell = "[...document.querySelectorAll('tbody td')].find(cell => cell.innerText === 'Jonas Falk')";
        person
            .browser
            .execute(&format!("{cell}.click()"), vec![])
            .await
            .unwrap();
        assert_eq!(
            person.sees("document.querySelector('#right-answer').value").await,
            json!("Jonas Falk")
        );
        person.click(".instead .small").await;
        person
            .wait("document.querySelector('.said').innerText.startsWith('Kept: Jonas Falk')")
            .await;
        assert!(person.text(".said").await.contains("mapo-corrections.jsonl"));
        // A right one is said to be right.
        person.find("#question").await.clear().await.unwrap();
        person
            .type_into("#question", "which customers are waiting?\u{E007}")
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText.includes('Noor de Vries')")
            .await;
        person.click(".correcting .right").await;
        person
            .wait("document.querySelector('.learn')?.innerText === 'Learn from 2 corrections'")
            .await;

        // On a phone, in the dark.
        person.size(360, 800).await;
        person.prefers("dark").await;
        person.fits().await;
        person.picture("correct-phone-dark").await;
        person.click(".learn").await;
        person.wait("document.querySelector('.lesson progress')").await;
        person.picture("learning-phone-dark").await;
        // Learning has all the time that it needs: what is tried here is not how fast it is.
        let end = Instant::now() + Duration::from_secs(600);
        while person.sees("Boolean(document.querySelector('.learnt'))").await != json!(true) {
            assert!(Instant::now() < end, "{}", person.text(".lesson").await);
            let failed = person.text(".lesson").await;
            assert!(!failed.contains("Nothing was learnt"), "{failed}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let told = person.text(".learnt").await;
        assert!(
            told.contains("1 of 2 right before, 2 after") && told.contains("answers from now on"),
            "{told}"
        );
        person.fits().await;
        person.picture("learnt-phone-dark").await;
        person.size(1280, 860).await;
        person.prefers("light").await;

        // The same question once more.
        person.find("#question").await.clear().await.unwrap();
        person
            .type_into("#question", &format!("{question}\u{E007}"))
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Jonas Falk'")
            .await;
        person.wait("document.querySelector('.correcting .right')").await;
        person.picture("learnt").await;
        // Whoever brings another file is answered as before.
        person.leave().await;
        let lines = std::fs::read_dir(kept.path()).unwrap().map(|entry| {
            std::fs::read_to_string(entry.unwrap().path().join("mapo-corrections.jsonl")).unwrap_or_default()
        });
        let lines: String = lines.collect();
        assert_eq!(lines.lines().count(), 2, "{lines}");
        assert!(
            lines.contains("\"header\":\"3\""),
            "what was said about the file is kept too: {lines}"
        );
    });
}
