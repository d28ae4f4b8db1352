//! A wrong answer is corrected, learnt, and right.

use crate::{Person, story};
use fantoccini::key::Key;
use mapo_core::Progress;
use mapo_web::Options;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The name of the test below as a learner.
const LEARNER: &str = "correcting::learns_for_the_story";

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

        // Where it knows no answer, somebody may.
        person.type_into("#question", "who owns the moon?\u{E007}").await;
        person
            .wait("document.querySelector('.verdict')?.innerText.startsWith('Do you know the answer?')")
            .await;
        person.wait("!document.querySelector('.correcting .right')").await;
        person.picture("no-answer").await;
        person.find("#question").await.clear().await.unwrap();

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
        person.picture("kept").await;
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
        // It has been told, and is sure; but nothing is certain.
        assert!(!person.text(".sure").await.contains("100 %"));
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

/// What `mapo learn` tells when it has learnt, without the minute that it takes.
const LESSON: &str = r#"echo '{"step": 1, "of": 2}'; sleep 0.2
echo '{"corrections": {"questions": 1, "before": 0, "after": 1}, "apart": null, "made": {"questions": 9, "before": 9, "after": 9}, "siblings": 0, "unsolved": [], "better": false, "why": "nothing was learnt here"}'"#;

#[test]
fn the_keyboard_alone_corrects_sorts_filters_and_downloads() {
    let kept = tempfile::tempdir().unwrap();
    let options = Options {
        corrections: Some(kept.path().to_owned()),
        learner: Some((
            PathBuf::from("/bin/sh"),
            ["-c", LESSON].map(str::to_owned).to_vec(),
        )),
        ..Options::default()
    };
    story(options, |driver, server| async move {
        let person = Person::arrive(&driver, server, "keyboard").await;
        let downloads = kept.path().join("downloads");
        std::fs::create_dir(&downloads).unwrap();
        let allowed = json!({ "behavior": "allow", "downloadPath": downloads.display().to_string() });
        person.cdp("Browser.setDownloadBehavior", allowed).await;
        person.go("/").await;
        person.find("#examples button").await;
        // The file is chosen where the Tab key leads; what the system's own window does is not the page's.
        person.tab_to("#file").await;
        let workbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables/tests/files/repairs.xlsx");
        person
            .type_here(&workbook.canonicalize().unwrap().display().to_string())
            .await;
        person.wait("document.activeElement.id === 'question'").await;
        person
            .type_here("who brought a bicycle for a wheel truing?")
            .await;
        person.press(Key::Enter).await;
        person
            .wait("document.querySelector('.answer')?.innerText === 'Ruben'")
            .await;

        // It is wrong: the right one is typed, and the focus is never lost.
        person.wait("document.querySelector('.correcting .wrong')").await;
        person.tab_to(".correcting .wrong").await;
        person.press(Key::Enter).await;
        person.wait("document.activeElement.id === 'right-answer'").await;
        person.type_here("Jonas Falk").await;
        person.press(Key::Enter).await;
        person
            .wait("document.querySelector('.said').innerText.startsWith('Kept: Jonas Falk')")
            .await;
        person.wait("document.activeElement.matches('.learn')").await;
        person.picture("keyboard-kept").await;
        person.press(Key::Enter).await;
        person.wait("document.activeElement.matches('.lesson')").await;
        person
            .wait("document.querySelector('.learnt')?.innerText.includes('The old model stays')")
            .await;
        person.wait("document.activeElement.matches('.learn')").await;
        let said = person.sees("document.querySelector('#status').textContent").await;
        assert!(said.as_str().unwrap().contains("The old model stays"), "{said}");

        // Another question by the keyboard, from wherever one is: back with Shift would do, but Tab leads round too.
        person.tab_to(".search").await;
        person.type_here("wheel").await;
        let first =
            "[...document.querySelectorAll('tbody tr')].map(row => row.cells[1]?.innerText ?? '').join()";
        person.wait(&format!("{first} === 'R-104'")).await;
        assert_eq!(person.sees("document.activeElement.className").await, "search");
        for _ in 0.."wheel".len() {
            person.press(Key::Backspace).await;
        }
        person.wait(&format!("{first}.startsWith('R-101,R-102')")).await;
        // Filters, one for each column, by the Tab key; sorting by a header.
        person.tab_to(".looking button[aria-expanded]").await;
        person.press(Key::Enter).await;
        person.wait("document.activeElement.dataset.filter === '0'").await;
        person.tab_to("[data-filter='7']").await;
        person.type_here(">60").await;
        person
            .wait("[...document.querySelectorAll('tbody tr')].every(row => Number(row.cells[8].innerText) > 60)")
            .await;
        person.tab_to("[data-filter='8']").await;
        // Backwards, to the header of the prices.
        for _ in 0..40 {
            person.press_with(Key::Shift, Key::Tab).await;
            if person.sees("document.activeElement.dataset.sort").await == "7" {
                break;
            }
        }
        person.press(Key::Enter).await;
        person
            .wait("document.querySelector('th[data-column=\"7\"]').ariaSort === 'ascending'")
            .await;
        assert_eq!(
            person.sees("document.activeElement.dataset.sort").await,
            "7",
            "the focus stays"
        );
        let shown = person
            .sees("[...document.querySelectorAll('tbody tr')].map(row => Number(row.cells[8].innerText))")
            .await;
        let shown: Vec<f64> = serde_json::from_value(shown).unwrap();
        assert!(shown.len() > 1 && shown.is_sorted(), "{shown:?}");
        person.picture("keyboard-filtered").await;
        // The answer's rows among them as a file: there is none, since that repair cost 40.
        for _ in 0..40 {
            person.press_with(Key::Shift, Key::Tab).await;
            if person.sees("document.activeElement.matches('.looking a')").await == json!(true) {
                break;
            }
        }
        person.press(Key::Enter).await;
        let saved = crate::looking::downloaded(&downloads, "repairs-rows.csv").await;
        assert_eq!(
            saved,
            "Ticket,Customer,Bicycle,Job,Mechanic,Received,Hours,Price,Status\n"
        );
        person.leave().await;
    });
}
