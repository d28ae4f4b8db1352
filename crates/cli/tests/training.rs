//! Training from the command line: the demo, runs and evaluation.

mod support;

use std::time::Duration;
use support::{QUICK, json, mapo, refused, run, run_well};

#[test]
fn the_demo_explores_trains_and_asks() {
    let quick = ["demo", "--steps", "10", "--threads", "2"]
        .into_iter()
        .chain(QUICK);
    let summary = json(quick.clone().chain(["--json", "--questions", "3"]));
    let accuracy = summary["dev_accuracy"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&accuracy), "{summary}");
    assert!(summary["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(summary["asked"].as_array().unwrap().len(), 3);
    let shown = run_well(quick.chain(["--questions", "2"]));
    for part in ["1. Explore", "2. Learn", "3. Ask", "answer", "program", "rows"] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn a_run_is_trained_evaluated_and_refused_a_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (store, dir, details, predictions) = (path("store.jsonl"), path("run"), path("details"), path("out"));
    run_well([
        "explore",
        "--data",
        "toy",
        "--programs",
        "200",
        "--out",
        &store,
        "--threads",
        "2",
    ]);
    let train = [
        "train",
        "--data",
        "toy",
        "--memory",
        &store,
        "--run",
        &dir,
        "--steps",
        "20",
        "--threads",
        "1",
    ];
    let train = train.into_iter().chain(QUICK);
    let summary = json(train.clone().chain(["--json"]));
    assert_eq!(summary["steps"], 20);
    let metrics = std::fs::read_to_string(folder.path().join("run/metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 2);
    assert!(metrics.contains("\"clip_fraction\""), "{metrics}");
    let model = summary["model"].as_str().unwrap();
    let evaluated = json([
        "eval",
        "--model",
        model,
        "--data",
        "toy",
        "--split",
        "dev",
        "--details",
        &details,
        "--predictions",
        &predictions,
        "--json",
    ]);
    assert_eq!(evaluated["accuracy"], summary["dev_accuracy"]);
    let scored = json(["score", "--data", "toy", "--split", "dev", &predictions, "--json"]);
    assert_eq!(scored["correct"], evaluated["correct"]);
    assert_eq!(std::fs::read_to_string(&details).unwrap().lines().count(), 400);
    let both = json([
        "eval", "--model", model, model, "--data", "toy", "--split", "dev", "--json",
    ]);
    assert_eq!(both["models"], 2);

    let again = run(train);
    assert_eq!(again.code, Some(2));
    assert!(
        again.stderr.contains("there is a run here already"),
        "{}",
        again.stderr
    );
    // A run that is at its end has nothing more to do.
    assert!(run_well(["train", "--resume", &dir]).contains("20, in"));
}

#[test]
fn questions_of_ones_own_without_a_dev_split_leave_the_newest_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(
        path("goals.csv"),
        "Player,Team,Goals\nAnne,Reds,12\nBob,Blues,7\n",
    )
    .unwrap();
    let question = r#"{"table":"goals.csv","question":"who is with the reds?","answer":["Anne"]}"#;
    std::fs::write(path("own.jsonl"), question).unwrap();
    let (data, dir) = (format!("jsonl:{}", path("own.jsonl")), path("run"));
    let train = ["train", "--data", &data, "--run", &dir, "--steps", "20"];
    let said = run_well(train.into_iter().chain(QUICK));
    let model = path("run/best.safetensors");
    assert!(said.contains(&format!("model     {model}")), "{said}");
    assert!(!said.contains("on dev"), "{said}");
    let card = run_well(["model", &model, "--json"]);
    let card: serde_json::Value = serde_json::from_str(&card).unwrap();
    assert_eq!(card["card"]["step"], 20, "{card}");
    assert!(card["card"].get("dev_accuracy").is_none(), "{card}");
    assert!(run_well(["eval", "--model", &model, "--data", &data]).contains("examples   1"));
}

#[test]
fn a_typo_in_a_setting_suggests_the_right_name() {
    let ran = run(["demo", "--set", "learning.droput=0.1"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "mapo: there is no setting 'learning.droput'; did you mean 'learning.dropout'?\n"
    );
}

#[test]
fn programs_found_in_another_way_are_refused() {
    for (option, found, wanted) in [("linking", "wide", "paper"), ("fit", "table", "rows")] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (store, dir) = (path("store.jsonl"), path("run"));
        let data = ["--data", "toy", "--limit", "20"];
        let flag = format!("--{option}");
        let so = [&flag[..], found];
        let explore = ["explore", "--programs", "50", "--out", &store];
        run_well(explore.into_iter().chain(data).chain(so));
        let stored = std::fs::read_to_string(&store).unwrap();
        let header = stored.lines().next().unwrap();
        assert!(header.contains(&format!("\"{option}\":\"{found}\"")), "{header}");

        let train = ["train", "--memory", &store, "--run", &dir, "--steps", "1"];
        let train = train.into_iter().chain(data).chain(QUICK);
        let said = format!(
            "made with {option} {found}, but {wanted} is wanted; explore again, or train with --{option} {found}"
        );
        refused(train.clone(), &[&said]);
        std::fs::remove_dir_all(&dir).unwrap_or_default();
        run_well(train.chain(so));
        let config = std::fs::read_to_string(folder.path().join("run/config.toml")).unwrap();
        assert!(config.contains(&format!("{option} = \"{found}\"")), "{config}");

        let odd = run(["data", "toy", &flag, "loose"]);
        assert_eq!(odd.code, Some(2));
        let none = format!("there is no {option} 'loose'");
        assert!(odd.stderr.contains(&none), "{}", odd.stderr);
    }
}

#[test]
fn a_run_that_is_killed_at_ten_moments_goes_on_to_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let train = |run: &str| -> Vec<String> {
        let begin = ["train", "--data", "toy", "--limit", "200", "--run", run];
        let settings = [
            "--set",
            "explore_first.programs=8000",
            "--set",
            "refresh=5",
            "--set",
            "memory={ whole = 8, best = 4, sample = 3 }",
            "--set",
            "warm_up={ steps = 40, objective = { name = \"iml\", draws = 1 } }",
        ];
        let rest = ["--steps", "150", "--threads", "1"];
        let all = begin.into_iter().chain(rest).chain(QUICK).chain(settings);
        all.map(str::to_owned).collect()
    };
    let (whole, killed) = (path("whole"), path("killed"));
    run_well(train(&whole));
    let whole_store = std::fs::metadata(folder.path().join("whole/programs.jsonl"))
        .unwrap()
        .len();

    let at = |name: &str| folder.path().join("killed").join(name);
    let explored = || std::fs::metadata(at("programs.jsonl.partial")).map_or(0, |file| file.len());
    let checkpoint = || {
        let names = std::fs::read_dir(at("")).into_iter().flatten().flatten();
        let names = names.filter_map(|file| file.file_name().into_string().ok());
        let step = |name: String| -> Option<u64> {
            let step = name.strip_prefix("checkpoint-")?.strip_suffix(".safetensors")?;
            step.parse().ok()
        };
        names.filter_map(step).max()
    };
    for kill in 1..=10_u64 {
        let mut command = mapo();
        match at("config.toml").exists() {
            true => command.args(["train", "--resume", &killed]),
            false => command.args(train(&killed)),
        };
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        // The first two while it explores, the others some time after a new checkpoint.
        let is_time = || match kill {
            1 | 2 => explored() > whole_store * kill / 4,
            _ => checkpoint() >= Some(10 * (kill - 3)),
        };
        while !is_time() {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "ended before kill {kill}: {ended:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
        if kill > 2 {
            std::thread::sleep(Duration::from_millis(kill * 13 % 40));
        }
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "kill {kill} came too late");
    }
    run_well(["train", "--resume", &killed]);
    for file in [
        "checkpoint-150.safetensors",
        "explored-150.json",
        "actors-150.json",
        "best.safetensors",
        "memory.jsonl",
        "programs.jsonl",
    ] {
        let read = |run: &str| std::fs::read(folder.path().join(run).join(file)).unwrap();
        assert!(read("whole") == read("killed"), "{file} differs");
    }
    let measured = |run: &str| -> Vec<(u64, f64)> {
        let text = std::fs::read_to_string(folder.path().join(run).join("metrics.jsonl")).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines
            .map(|line| {
                (
                    line["step"].as_u64().unwrap(),
                    line["dev_accuracy"].as_f64().unwrap(),
                )
            })
            .collect()
    };
    assert_eq!(measured("whole").len(), 15);
    assert_eq!(measured("whole"), measured("killed"));
}

#[test]
fn a_loss_that_is_not_finite_stops_the_run_and_names_the_batch() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("run").display().to_string();
    for threads in ["1", "2"] {
        let run_dir = format!("{dir}{threads}");
        let train = ["train", "--data", "toy", "--limit", "60", "--run", &run_dir];
        let rest = [
            "--steps",
            "40",
            "--threads",
            threads,
            "--set",
            "learning.rate=1e30",
        ];
        let ran = run(train.into_iter().chain(rest).chain(QUICK));
        assert_eq!(ran.code, Some(2), "{} {}", ran.stdout, ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("not a finite number") || ran.stderr.contains("norm"),
            "{}",
            ran.stderr
        );
        let files = std::fs::read_dir(&run_dir).unwrap().flatten();
        let mut names = files.map(|file| file.file_name().into_string().unwrap());
        let batch = names.find(|name| name.starts_with("broken-batch-")).unwrap();
        assert!(ran.stderr.contains(&batch), "{}", ran.stderr);
        let text = std::fs::read_to_string(format!("{run_dir}/{batch}")).unwrap();
        let batch: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(!batch["trajectories"].as_array().unwrap().is_empty());
    }
}

#[test]
fn where_the_time_goes_is_told_and_a_model_can_be_trained_further() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (first, second, third) = (path("first"), path("second"), path("third"));
    let train = |run: &str, more: &[&str]| -> Vec<String> {
        let begin = [
            "train", "--data", "toy", "--limit", "100", "--run", run, "--steps", "20",
        ];
        let all = begin.into_iter().chain(QUICK).chain(more.iter().copied());
        all.map(str::to_owned).collect()
    };
    let summary = json(train(&first, &["--threads", "2", "--json"]));
    let shares = |time: &serde_json::Value| -> f64 {
        let waiting = ["learner_waiting", "actors_waiting"];
        let parts = time.as_object().unwrap().iter();
        let parts = parts.filter(|(name, _)| !waiting.contains(&name.as_str()));
        parts.map(|(_, share)| share.as_f64().unwrap()).sum()
    };
    let time = &summary["time"];
    assert!((shares(time) - 1.0).abs() < 0.02, "{time}");
    for work in [
        "scoring",
        "exploring",
        "drawing",
        "reading",
        "learning",
        "evaluating",
        "saving",
    ] {
        assert!(time[work].as_f64().unwrap() > 0.0, "{work}: {time}");
    }
    assert!(
        summary["largest_memory"].as_f64() >= summary["memory_size"].as_f64(),
        "{summary}"
    );
    let metrics = std::fs::read_to_string(folder.path().join("first/metrics.jsonl")).unwrap();
    for line in metrics.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!((shares(&line["time"]) - 1.0).abs() < 0.02, "{line}");
    }

    let model = path("first/best.safetensors");
    // Sizes are those of the model, whatever the settings say.
    let more = ["--init", &model, "--set", "network.hidden=24", "--threads", "1"];
    let shown = run_well(train(&second, &more));
    for part in [
        "steps a second",
        "programs each",
        " %  scoring",
        " %  rest",
        "waiting",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let config = std::fs::read_to_string(folder.path().join("second/config.toml")).unwrap();
    assert!(config.contains("hidden = 16"), "{config}");
    // With next to no learning rate it stays what it was.
    let more = [
        "--init",
        &model,
        "--set",
        "learning.rate=1e-30",
        "--set",
        "learning.average=0",
    ];
    let still = json(train(
        &third,
        &[&more[..], &["--threads", "1", "--json"]].concat(),
    ));
    let measured = json([
        "eval", "--model", &model, "--data", "toy", "--split", "dev", "--json",
    ]);
    assert_eq!(still["dev_accuracy"], measured["accuracy"]);

    let checkpoint = path("first/checkpoint-20.safetensors");
    let wrong = run(["eval", "--model", &checkpoint, "--data", "toy"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("use the run's best.safetensors"),
        "{}",
        wrong.stderr
    );
    // A run that could not begin leaves the directory free.
    let absent = run(train(&path("fourth"), &["--memory", "/nowhere.jsonl"]));
    assert_eq!(absent.code, Some(2));
    assert!(!folder.path().join("fourth/config.toml").exists());
}

/// A file of questions about a table, some of them with their program.
fn own_questions(folder: &std::path::Path, lines: &[(&str, &str, Option<&str>)]) -> String {
    std::fs::write(
        folder.join("goals.csv"),
        "Player,Team,Goals\nAnne,Reds,12\nBob,Blues,7\nCarl,Reds,3\nDora,Greens,9\n",
    )
    .expect("a temporary folder");
    let line = |(question, answer, program): &(&str, &str, Option<&str>)| {
        let line = serde_json::json!({
            "table": "goals.csv", "question": question, "answer": answer, "program": program, "split": "train",
        });
        format!("{line}\n")
    };
    std::fs::write(
        folder.join("own.jsonl"),
        lines.iter().map(line).collect::<String>(),
    )
    .expect("a temporary folder");
    format!("jsonl:{}", folder.join("own.jsonl").display())
}

const FIRST: (&str, &str, Option<&str>) = (
    "who is the first player?",
    "Anne",
    Some("(first all_rows) (hop v0 r.player-str)"),
);
/// Anne is also the first, so there is more than one program for it.
const MOST: (&str, &str, Option<&str>) = ("which player has the most goals?", "Anne", None);

#[test]
fn known_programs_are_the_memory_and_nothing_joins_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, dir) = (own_questions(folder.path(), &[FIRST, MOST]), path("run"));
    let train = ["train", "--data", &data, "--run", &dir, "--steps", "20"];
    run_well(train.into_iter().chain(QUICK));
    let read = |name: &str| std::fs::read_to_string(folder.path().join("run").join(name)).unwrap();
    // Only the other question was explored.
    let explored = read("programs.jsonl");
    assert_eq!(explored.lines().count(), 2, "{explored}");
    assert!(explored.contains("\"id\":\"line-1\""), "{explored}");
    let memory = read("memory.jsonl");
    let lines = memory
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut programs = [0, 0];
    for line in lines {
        programs[line["example"].as_u64().unwrap() as usize] += line["programs"].as_array().unwrap().len();
    }
    assert!(programs[0] == 1 && programs[1] > 1, "{memory}");

    let store = path("store.jsonl");
    let explored = run([
        "explore",
        "--data",
        &data,
        "--split",
        "train",
        "--out",
        &store,
        "--programs",
        "50",
    ]);
    assert!(
        explored
            .stderr
            .contains("1 of 2 questions have their program already"),
        "{}",
        explored.stderr
    );

    let wrong = (FIRST.0, "Bob", FIRST.2);
    let (data, dir) = (own_questions(folder.path(), &[MOST, wrong]), path("wrong"));
    let train = ["train", "--data", &data, "--run", &dir, "--steps", "20"];
    refused(
        train.into_iter().chain(QUICK),
        &[
            "own.jsonl, line 2: the program (first",
            "gives Anne, but the answer is Bob",
        ],
    );
}

#[test]
fn what_is_composed_is_learnt_by_the_model_in_the_box() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("cars.txt");
    // Read as it is said to be, without its last row.
    std::fs::write(
        &table,
        "Cars of the shop\nmodel;country;price\nCorvo;Italy;300\nLumen;Spain;250\nTundra;Italy;410\n\
         Delph;Spain;90\nQuill;France;120\nOnda;Japan;180\nTotal;;1350\n",
    )
    .unwrap();
    let table = table.display().to_string();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // Neither the folder nor the one above it is there.
    let (made, dir) = (path("not/yet"), path("run"));
    let compose = |out: &str| -> Vec<String> {
        let written = "--questions 30 --header 2 --separator ; --format csv --json --out";
        let arguments = ["compose", &table].into_iter().chain(written.split(' '));
        arguments.chain([out]).map(str::to_owned).collect()
    };
    let composed = json(compose(&made));
    assert!(composed["questions"].as_u64().unwrap() > 10, "{composed}");
    let lines = std::fs::read_to_string(folder.path().join("not/yet/questions.jsonl")).unwrap();
    assert!(lines.contains("filter_is"), "{lines}");
    assert!(lines.contains(r#""totals":"left-out""#), "{lines}");

    let data = format!("jsonl:{made}/questions.jsonl");
    let train = [
        "train", "--data", &data, "--init", "box", "--run", &dir, "--steps", "1",
    ];
    run_well(
        train
            .into_iter()
            .chain(["--set", "batch=2", "--set", "evaluate=1", "--threads", "1"]),
    );
    // The model goes on in its own language, and its successor is asked in it.
    let card = json(["model", &path("run/best.safetensors"), "--json"]);
    assert_eq!(card["card"]["language"], "people");
    assert_eq!(card["card"]["linking"], "everyday");

    refused(compose(&table), &["cars.txt: this folder cannot be made"]);
}

/// A file that mixes the built-in questions with two of one's own.
fn mix_file(folder: &std::path::Path, more: &str) -> String {
    let data = own_questions(folder, &[FIRST, MOST]);
    let text = format!(
        r#"{more}
[[data]]
data = "toy"
weight = 3
limit = 60
dev_limit = 50
programs = 200

[[data]]
name = "own"
data = "{data}"
linking = "wide"
dev = "train"
programs = 100
"#
    );
    let file = folder.join("mix.toml");
    std::fs::write(&file, text).expect("a temporary folder");
    file.display().to_string()
}

/// Settings for two datasets: small, and read from toy's.
const MIXED: [&str; 6] = ["--preset", "toy", "--set", "batch=8", "--set", "refresh=5"];

#[test]
fn several_datasets_train_one_model_and_each_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (mix, dir) = (mix_file(folder.path(), ""), path("run"));
    let train = |dir: &str, more: &[&str]| -> Vec<String> {
        let begin = [
            "train",
            "--mix",
            &mix,
            "--run",
            dir,
            "--steps",
            "20",
            "--threads",
            "2",
            "--json",
        ];
        let all = begin
            .into_iter()
            .chain(QUICK)
            .chain(MIXED)
            .chain(more.iter().copied());
        all.map(str::to_owned).collect()
    };
    let summary = json(train(&dir, &[]));
    let (toy, own) = (&summary["dev"]["toy"], &summary["dev"]["own"]);
    let mean = (3.0 * toy.as_f64().unwrap() + own.as_f64().unwrap()) / 4.0;
    assert!(
        (summary["dev_accuracy"].as_f64().unwrap() - mean).abs() < 1e-9,
        "{summary}"
    );
    let metrics = std::fs::read_to_string(folder.path().join("run/metrics.jsonl")).unwrap();
    assert!(
        metrics.lines().all(|line| line.contains("\"dev\":{\"own\":")),
        "{metrics}"
    );

    // The card names them, and each is read as it was in training.
    let model = path("run/best.safetensors");
    let card = &json(["model", &model, "--json"])["card"];
    assert_eq!(card["data"], "toy + own");
    let [first, second] = &card["datasets"].as_array().unwrap()[..] else {
        panic!("{card}")
    };
    assert_eq!(
        (&first["weight"], &first["linking"]),
        (&serde_json::json!(3.0), &"paper".into())
    );
    assert_eq!(
        (&second["dev_accuracy"], &second["linking"]),
        (own, &"wide".into())
    );
    assert_eq!(second["data"], "jsonl:own.jsonl");
    let shown = run_well(["model", &model]);
    assert!(shown.contains("own train, weight 1"), "{shown}");
    let own_data = format!("jsonl:{}", path("own.jsonl"));
    let evaluated = json([
        "eval", "--model", &model, "--data", &own_data, "--split", "train", "--json",
    ]);
    assert_eq!(&evaluated["accuracy"], own);
    let evaluated = json([
        "eval", "--model", &model, "--data", "toy", "--split", "dev", "--limit", "50", "--json",
    ]);
    assert_eq!(&evaluated["accuracy"], toy);

    // A trained model goes on with several datasets, too.
    let next = path("next");
    let still = [
        "--init",
        &model,
        "--set",
        "learning.rate=1e-30",
        "--set",
        "learning.average=0",
    ];
    let still = json(train(&next, &still));
    assert_eq!(still["dev"], summary["dev"]);
    assert!(run_well(["train", "--resume", &next]).contains("on dev of own"));
}

#[test]
fn a_mixed_run_that_is_stopped_goes_on_to_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mix = mix_file(folder.path(), "choose_by = \"own\"");
    let train = |dir: &str| -> Vec<String> {
        let begin = [
            "train",
            "--mix",
            &mix,
            "--run",
            dir,
            "--steps",
            "60",
            "--threads",
            "1",
        ];
        let all = begin.into_iter().chain(QUICK).chain(MIXED);
        all.map(str::to_owned).collect()
    };
    let (whole, killed) = (path("whole"), path("killed"));
    run_well(train(&whole));
    for after in [10, 30] {
        let at = |name: &str| folder.path().join("killed").join(name);
        let mut command = mapo();
        match at("config.toml").exists() {
            true => command.args(["train", "--resume", &killed]),
            false => command.args(train(&killed)),
        };
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        let has_come = || (after..60).any(|step| at(&format!("checkpoint-{step}.safetensors")).exists());
        while !has_come() {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "ended before step {after}: {ended:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    run_well(["train", "--resume", &killed]);
    for file in [
        "checkpoint-60.safetensors",
        "explored-60.json",
        "actors-60.json",
        "best.safetensors",
        "memory.jsonl",
        "programs-1.jsonl",
        "programs-2.jsonl",
    ] {
        let read = |run: &str| std::fs::read(folder.path().join(run).join(file)).unwrap();
        assert!(read("whole") == read("killed"), "{file} differs");
    }
    let card = &json(["model", &path("whole/best.safetensors"), "--json"])["card"];
    assert_eq!(
        card["dev_accuracy"], card["datasets"][1]["dev_accuracy"],
        "chosen by own"
    );
}

#[test]
fn a_mix_that_cannot_be_is_told_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mix.toml").display().to_string();
    let dir = folder.path().join("run").display().to_string();
    for (text, said) in [
        ("", "missing field `data`"),
        ("data = []", "names no dataset; write [[data]] for each"),
        ("[[data]]\ndata = \"toy\"\nwieght = 2", "wieght"),
        ("[[data]]\ndata = \"toy\"\nlinking = \"loose\"", "loose"),
        ("[[data]]\ndata = \"toys\"", "there is no dataset 'toys'"),
        (
            "[[data]]\ndata = \"toy\"\nweight = 0",
            "the weight of toy must be above 0",
        ),
        (
            "[[data]]\ndata = \"toy\"\n[[data]]\ndata = \"toy\"",
            "two datasets are called 'toy'; give one of them another name",
        ),
        (
            "choose_by = \"own\"\n[[data]]\ndata = \"toy\"",
            "choose_by names none of the datasets; they are toy",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        refused(["train", "--mix", &file, "--run", &dir], &[&file, said]);
        assert!(!folder.path().join("run/config.toml").exists());
    }
    for flag in [
        ["--data", "toy"],
        ["--linking", "wide"],
        ["--limit", "3"],
        ["--memory", "x"],
    ] {
        let ran = run(["train", "--mix", &file, "--run", &dir].into_iter().chain(flag));
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("--mix"), "{}", ran.stderr);
    }
}

#[test]
fn a_store_is_weighed_and_a_run_believes_it_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (store, weighed, dir) = (path("store.jsonl"), path("weighed.jsonl"), path("run"));
    let data = ["--data", "toy", "--limit", "40"];
    let explore = ["explore", "--programs", "400", "--out", &store];
    run_well(explore.into_iter().chain(data));
    let weigh = ["weigh", "--data", "toy", "--memory", &store, "--out", &weighed];
    let summary = json(weigh.into_iter().chain(["--json"]));
    assert_eq!(summary["questions"], 40);
    let read = |file: &str| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (before, after) = (read(&store), read(&weighed));
    assert_eq!(before[0], after[0], "the header stays");
    let mut differ = 0;
    for (before, after) in before.iter().zip(&after).skip(1) {
        assert_eq!(before["programs"], after["programs"]);
        let count = after["programs"].as_array().unwrap().len();
        let weights = after["weights"].as_array().map_or(Vec::new(), |weights| {
            weights.iter().map(|weight| weight.as_f64().unwrap()).collect()
        });
        assert_eq!(weights.len(), count);
        assert!(weights.iter().all(|weight| (0.009..=1.0).contains(weight)));
        assert!(count == 0 || weights.contains(&1.0));
        differ += usize::from(weights.iter().any(|weight| *weight < 1.0));
    }
    assert!(differ > 5, "{differ}");
    refused(weigh, &["weighed.jsonl: there already"]);
    let other = [
        "weigh",
        "--data",
        "wtq:x",
        "--memory",
        &store,
        "--out",
        &path("x.jsonl"),
    ];
    refused(other, &["made of toy, but --data names wtq:x"]);

    let train = |dir: &str, memory: &str, belief: &str| -> Vec<String> {
        let begin = [
            "train",
            "--memory",
            memory,
            "--run",
            dir,
            "--steps",
            "20",
            "--threads",
            "1",
        ];
        let all = begin
            .into_iter()
            .chain(data)
            .chain(QUICK)
            .chain(["--set", belief]);
        all.map(str::to_owned).collect()
    };
    let parameters = |dir: &str| std::fs::read(format!("{dir}/checkpoint-20.safetensors")).unwrap();
    let (plain, unused) = (path("plain"), path("unused"));
    run_well(train(&plain, &store, "belief=0"));
    run_well(train(&unused, &weighed, "belief=0"));
    run_well(train(&dir, &weighed, "belief=1"));
    assert!(
        parameters(&plain) == parameters(&unused),
        "who does not believe is as before"
    );
    assert!(parameters(&plain) != parameters(&dir));
    let memory = std::fs::read_to_string(format!("{dir}/memory.jsonl")).unwrap();
    assert!(memory.contains("\"priors\":["), "{memory}");
    let config = std::fs::read_to_string(format!("{dir}/config.toml")).unwrap();
    assert!(config.contains("belief = 1.0"), "{config}");

    // Cut off after ten steps, it goes on to the same end.
    let cut = path("cut");
    let mut child = mapo()
        .args(train(&cut, &weighed, "belief=1"))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("cut/checkpoint-10.safetensors").exists() {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap();
    run_well(["train", "--resume", &cut]);
    assert!(parameters(&cut) == parameters(&dir));
    refused(
        train(&path("wrong"), &weighed, "belief=-1"),
        &["the setting belief must be 0 or more"],
    );
}

/// What has changed in a run since its checkpoint is refused by its name, and so is a second process.
#[test]
fn a_damaged_run_is_refused_by_the_file_and_a_run_has_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let dir = path.display().to_string();
    let begin = [
        "train",
        "--data",
        "toy",
        "--run",
        &dir,
        "--steps",
        "10",
        "--seed",
        "1",
        "--threads",
        "1",
    ];
    run_well(begin.iter().chain(&QUICK));
    let names = |prefix: &str| -> std::path::PathBuf {
        let files = std::fs::read_dir(&path).unwrap().flatten();
        let mut found = files.filter(|file| file.file_name().to_string_lossy().starts_with(prefix));
        found.next().unwrap().path()
    };
    for prefix in [
        "memory.jsonl",
        "explored-",
        "actors-",
        "checkpoint-",
        "start.safetensors",
    ] {
        let file = names(prefix);
        let whole = std::fs::read(&file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        for flipped in [whole.len() / 3, whole.len() / 2, whole.len() - 2] {
            let mut changed = whole.clone();
            changed[flipped] ^= 1;
            std::fs::write(&file, changed).unwrap();
            refused(["train", "--resume", &dir], &[&name]);
        }
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        refused(["train", "--resume", &dir], &[&name]);
        std::fs::write(&file, whole).unwrap();
    }
    let checkpoint = names("checkpoint-");
    let aside = folder.path().join("aside");
    std::fs::rename(&checkpoint, &aside).unwrap();
    refused(["train", "--resume", &dir], &["checkpoint-", "is missing"]);
    assert!(path.join("metrics.jsonl").exists(), "nothing is lost");
    std::fs::rename(&aside, &checkpoint).unwrap();
    let lock = mapo_files::Lock::take(&path, ".lock").unwrap();
    refused(["train", "--resume", &dir], &["another process is at work here"]);
    drop(lock);
    run_well(["train", "--resume", &dir]);
}
