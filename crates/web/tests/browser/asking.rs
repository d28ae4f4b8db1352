//! A table is brought, asked, and its answer looked at.

use crate::{PEOPLE, Person, file, story};
use fantoccini::key::Key;
use mapo_web::Options;
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

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
fn the_query_for_the_file_itself_is_run_before_it_is_shown() {
    let is_there = Command::new("duckdb").arg("--version").output().is_ok();
    if !is_there {
        eprintln!(
            "SKIPPED: duckdb is missing, so no query was run on a file; install the package duckdb-cli"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        tables: vec![PathBuf::from(file(folder.path(), "people.csv", PEOPLE))],
        ..Options::default()
    };
    story(options, |driver, server| async move {
        let person = Person::arrive(&driver, server, "duckdb").await;
        person
            .go("/?table=table-1&q=how+many+people+are+from+tulsa%3F")
            .await;
        person
            .wait("document.querySelector('.answer')?.innerText === '3'")
            .await;
        person.click(".on-file summary").await;
        assert!(
            person
                .text(".on-file .ran")
                .await
                .contains("Run with DuckDB on the file: the same answer")
        );
        // What a person copies runs as it is, in the folder of the file.
        let query = person.text(".on-file pre").await;
        let ran = Command::new("duckdb")
            .args(["-csv", "-noheader", "-c", &query])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "3", "{query}");
        person.leave().await;
    });
}
