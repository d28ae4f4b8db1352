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
        // The learner of a fleet writes down who takes part.
        assert_eq!(person.text("#fleet").await, "");
        std::fs::write(folder.join("tiny/fleet-status.json"), FLEET).unwrap();
        person
            .wait("document.querySelectorAll('.fleet tbody tr').length === 2")
            .await;
        let told = person.text("#fleet").await;
        for what in [
            "goes on",
            "3 of 64",
            "7 of 12",
            "desk-12",
            "waits for room",
            "6 steps old",
        ] {
            assert!(told.contains(what), "{what} is not in {told}");
        }
        person.picture("fleet").await;
        person.size(360, 740).await;
        person.fits().await;
        person.leave().await;
    });
}

/// As `mapo fleet learn` writes it.
const FLEET: &str = r#"{"name":"tiny","is_over":false,"has_learner":true,"learner":{"name":"tower-7","epoch":1,"step":96,"steps":100,
"speed":14.25,"assistance":{"assistants":1,"gradients":31,"late":2,"wrong":0}},"reached":{"epoch":1,"step":96},"policy":{"epoch":1,"step":95},
"actors":[{"name":"desk-12","threads":2,"shards":7,"speed":15.5,"batches":101,"policy":{"epoch":1,"step":90},"doing":"waits for room"}],
"assistants":[{"name":"loft-3","threads":1,"shards":0,"speed":4.5,"batches":31,"policy":{"epoch":1,"step":96},"doing":"learns"}],
"shards":12,"shards_held":7,"queued":3,"room":64,"dropped":{"unreadable":0,"other_epoch":4,"too_old":0,"wrong":0},
"log_messages":240,"log_bytes":81233}"#;

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
