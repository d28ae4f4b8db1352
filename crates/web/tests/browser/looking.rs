//! Rows are sorted, filtered, searched and saved.

use crate::{Person, file, story};
use fantoccini::key::Key;
use mapo_web::Options;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

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
        // Numbers end where their header ends.
        let end = |of: &str| {
            format!(
                "(() => {{ const range = document.createRange(); range.selectNodeContents({of}); return range.getBoundingClientRect().right; }})()"
            )
        };
        let header = person
            .sees(&end("document.querySelector('th[data-column=\"5\"] .sort')"))
            .await;
        let number = person
            .sees(&end("document.querySelector('tbody tr').cells[6]"))
            .await;
        let apart = header.as_f64().unwrap() - number.as_f64().unwrap();
        assert!(apart.abs() < 0.75, "{header} is not {number}");

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
pub(crate) async fn downloaded(folder: &Path, name: &str) -> String {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Ok(saved) = std::fs::read_to_string(folder.join(name)) {
            return saved;
        }
        assert!(Instant::now() < end, "{name} was not saved");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
