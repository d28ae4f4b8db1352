//! The curves of training runs.

use crate::{Person, story};
use fantoccini::key::Key;
use mapo_core::Progress;
use mapo_datasets::{Dataset, Selection};
use mapo_training::{Origin, RunConfig, Session, Settings};
use mapo_web::Options;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;

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
