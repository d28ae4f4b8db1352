//! `mapo reproduce`: on the built-in questions at the smallest budget, killed and gone on with, and refused where it must
//! be.

mod support;

use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use support::nats::{Nats, wait_until};
use support::{json, mapo, refused, run_well};

/// A part of the smallest budget, on one thread, so that the seed decides.
fn seconds(out: &Path, more: &[&str]) -> Vec<String> {
    let out = out.display().to_string();
    let arguments = [
        "reproduce",
        "toy",
        "--budget",
        "seconds",
        "--threads",
        "1",
        "--out",
        &out,
    ];
    let arguments = arguments.iter().chain(more);
    arguments.map(|argument| (*argument).to_owned()).collect()
}

/// The same without what takes another time each time, and without the directory, which is in the commands.
fn timeless(results: &Value, out: &Path) -> Value {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("seconds");
                fields.values_mut().for_each(clean);
            }
            Value::Array(items) => items.iter_mut().for_each(clean),
            _ => {}
        }
    }
    let text = results.to_string().replace(&out.display().to_string(), "OUT");
    let mut results = serde_json::from_str(&text).expect("it was JSON");
    clean(&mut results);
    results
}

fn experiment<'r>(results: &'r Value, name: &str) -> &'r Value {
    let mut all = results["experiments"].as_array().expect("a list").iter();
    all.find(|one| one["name"] == name).expect("it is there")
}

#[test]
fn killed_and_gone_on_with_it_gives_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let parts = ["--only", "objectives/mapo", "--only", "objectives/iml"];
    let with_json: Vec<&str> = parts.into_iter().chain(["--json"]).collect();
    let expected = json(seconds(&whole, &with_json));

    let mut child = mapo()
        .args(seconds(&cut, &parts))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let runs = cut.join("seconds/objectives");
    wait_until("the second run begins", || {
        runs.join("iml/seed-1/config.toml").exists()
    });
    child.kill().unwrap();
    child.wait().unwrap();

    // What is there can be told at any time.
    let halfway = json(seconds(&cut, &["--report", "--json"]));
    let cells = &experiment(&halfway, "objectives")["cells"];
    assert_eq!(cells[0]["seeds"], serde_json::json!([1]));
    assert_eq!(cells[3]["variant"], "iml");
    assert!(
        cells[3]["dev"].is_null() && cells[3]["under_way"][0]["seed"] == 1,
        "{cells}"
    );
    assert!(
        experiment(&halfway, "baseline")["gradients"]
            .as_array()
            .is_some_and(Vec::is_empty)
    );
    let made = |name: &str| std::fs::metadata(runs.join(name)).unwrap().modified().unwrap();
    let first = made("mapo/seed-1/predictions-dev.jsonl");

    let resumed = json(seconds(&cut, &with_json));
    assert_eq!(
        made("mapo/seed-1/predictions-dev.jsonl"),
        first,
        "nothing is made twice"
    );
    assert_eq!(timeless(&resumed, &cut), timeless(&expected, &whole));

    // The paper's figures beside ours, intervals, and what is not there says so; each row has its command.
    let objectives = experiment(&resumed, "objectives");
    let [mapo, mml, _, iml] = objectives["cells"].as_array().unwrap().as_slice() else {
        panic!("{objectives}");
    };
    assert_eq!(mapo["paper_dev"], "42.3 ± 0.3");
    assert!(mml["dev"].is_null() && mml["difference"].is_null());
    let difference = iml["difference"]["mean"].as_f64().unwrap();
    let dev = |cell: &Value| cell["dev"]["mean"].as_f64().unwrap();
    assert!((difference - (dev(iml) - dev(mapo))).abs() < 1e-9);
    assert!(
        iml["command"]
            .as_str()
            .unwrap()
            .ends_with("--only objectives/iml")
    );
    // The run of the ablations' first row is the same.
    assert_eq!(experiment(&resumed, "ablations")["cells"][0]["dev"], mapo["dev"]);
    let read = |name: &str| std::fs::read_to_string(cut.join("seconds").join(name)).unwrap();
    let results: Value = serde_json::from_str(&read("results.json")).unwrap();
    assert_eq!(results, resumed);
    let shown = format!("{:.1} (", 100.0 * dev(mapo));
    for report in [read("report.md"), read("report.html")] {
        for part in [
            "42.3 ± 0.3",
            "not run yet",
            "95 % interval",
            "more than this budget trains",
            &shown,
        ] {
            assert!(report.contains(part), "{part}: {report}");
        }
    }
    assert!(read("report.html").contains("<svg") && read("objectives-curves.svg").contains("mapo"));

    let printed = run_well(seconds(&cut, &["--report"]));
    assert!(
        printed.contains("Speed by number of threads") && printed.contains("report.html"),
        "{printed}"
    );
}

#[test]
fn the_variance_of_gradients_is_measured_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let results = json(seconds(&out, &["--only", "baseline/no-baseline", "--json"]));
    let gradients = experiment(&results, "baseline")["gradients"].as_array().unwrap();
    let number = |estimator: &str, is_trained: bool, name: &str| -> f64 {
        let mut all = gradients.iter();
        let one = all.find(|one| one["estimator"] == estimator && one["is_trained"] == is_trained);
        one.expect("it is there")[name].as_f64().expect("a number")
    };
    assert_eq!(gradients.len(), 10);
    for is_trained in [false, true] {
        let variance = |estimator: &str| number(estimator, is_trained, "variance");
        assert!(variance("no-baseline") > 0.0 && variance("baseline") > 0.0);
        assert_ne!(variance("no-baseline"), variance("baseline"));
    }
    // It is kept, and read again.
    let again = json(seconds(&out, &["--report", "--json"]));
    assert_eq!(
        experiment(&again, "baseline")["gradients"].as_array().unwrap(),
        gradients
    );
}

#[test]
fn a_fleet_makes_the_same() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (alone, together) = (folder.path().join("alone"), folder.path().join("together"));
    let part = ["--only", "objectives/mapo", "--only", "objectives/mml", "--json"];
    let expected = json(seconds(&alone, &part));
    let _worker = nats.spawn("work", &["--threads", "1"]);
    let url = nats.url();
    let fleet: Vec<&str> = part.into_iter().chain(["--fleet", &url]).collect();
    let found = json(seconds(&together, &fleet));
    assert_eq!(timeless(&found, &together), timeless(&expected, &alone));
    assert_eq!(run_well(["fleet", "list", "--server", &url]), "");
}

#[test]
fn bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let refused = |arguments: &[&str], says: &[&str]| {
        refused([&["reproduce"], arguments, &["--out", &out]].concat(), says);
        assert!(!Path::new(&out).exists(), "something was left behind");
    };
    refused(&["wtq"], &["--data wtq:DIR"]);
    refused(
        &["toy", "--budget", "fulll"],
        &["no budget 'fulll'", "did you mean 'full'"],
    );
    refused(
        &["toy", "--only", "table"],
        &["no experiment 'table'", "objectives, ablations"],
    );
    refused(&["toy", "--only", "objectives/m"], &["no row 'm'", "mapo, mml"]);
    refused(&["toy", "--memory", "nowhere.jsonl"], &["nowhere.jsonl"]);
    refused(&["wtq", "--data", "wtq:nowhere"], &["nowhere"]);
}
