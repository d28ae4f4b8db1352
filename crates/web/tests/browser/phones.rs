//! Dark colours, small screens and large tables.

use crate::{Person, file, story};
use mapo_web::Options;
use serde_json::json;
use std::path::PathBuf;

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
