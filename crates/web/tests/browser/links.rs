//! Links, what was asked before, wide tables, and a dashboard without runs.

use crate::{PEOPLE, Person, file, story};
use fantoccini::key::Key;
use mapo_web::Options;
use std::path::PathBuf;

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
        let left = |of: &str| format!("document.querySelector('{of}').getBoundingClientRect().left");
        assert_eq!(
            person.sees(&left(".empty")).await,
            person.sees(&left(".page-title")).await
        );
        person.picture("no-runs").await;
        person.leave().await;
    });
}
