//! A fleet from the command line, with a real NATS server: `nats-server` on the path, or the program that MAPO_NATS names.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use support::nats::Nats;
use support::{QUICK, json, refused, run_well};

/// The programs in the memories of a run's directory.
fn memories(run: &Path) -> BTreeSet<(u64, String)> {
    let text = std::fs::read_to_string(run.join("memory.jsonl")).expect("it is there");
    let mut all = BTreeSet::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let example = line["example"].as_u64().expect("a number");
        let programs = line["programs"].as_array().expect("a list");
        all.extend(programs.iter().map(|program| (example, program.to_string())));
    }
    all
}

/// The numbers of a safetensors file, without what is said of them.
fn numbers(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("it is there");
    let (length, rest) = bytes.split_at(8);
    let header = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    rest[header..].to_vec()
}

fn toy(run: &str, steps: &str, threads: &str) -> Vec<String> {
    let data = [
        "--data",
        "toy",
        "--limit",
        "96",
        "--run",
        run,
        "--steps",
        steps,
        "--threads",
        threads,
    ];
    let batch = ["--set", "batch=12", "--set", "refresh=5"];
    data.into_iter()
        .chain(QUICK)
        .chain(batch)
        .map(str::to_owned)
        .collect()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn one_actor_in_lock_step_gives_the_parameters_of_one_thread_bit_for_bit() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let alone = toy(&path("alone"), "30", "1");
    run_well(["train"].into_iter().chain(words(&alone)));
    let together = toy(&path("together"), "30", "1");
    let learner = nats.spawn(
        "learn",
        &[&["--lock-step", "--log"], &words(&together)[..]].concat(),
    );
    nats.wait_until("together", |_| true);
    let actor = nats.spawn("act", &["--run", "together", "--threads", "1"]);
    let (code, said) = learner.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = actor.end();
    assert_eq!(code, Some(0), "{said}");
    for file in ["checkpoint-30.safetensors", "best.safetensors"] {
        let [alone, together] = ["alone", "together"].map(|run| numbers(&folder.path().join(run).join(file)));
        assert!(!alone.is_empty() && alone == together, "{file}");
    }
    let [alone, together] = ["alone", "together"].map(|run| memories(&folder.path().join(run)));
    // The actor may have begun a batch more before it heard that the run is over.
    assert!(alone.is_subset(&together));
    assert!(nats.found("together").is_subset(&together));
    let status = nats.status("together").expect("it is known");
    assert_eq!(status["is_over"], true);
    assert_eq!(
        status["actors"].as_array().map(Vec::len),
        Some(0),
        "it has left: {status}"
    );
    // Its batches, learnt from again without any server, give the same once more.
    let replayed = json(["fleet", "replay", "--json", &path("together")]);
    assert_eq!(
        (&replayed["batches"], &replayed["different"]),
        (&30.into(), &0.into())
    );
    assert!(replayed["parameters"].as_u64() > Some(1000), "{replayed}");
    let dropped = &status["dropped"];
    for reason in ["unreadable", "other_epoch", "too_old", "wrong"] {
        assert_eq!(dropped[reason], 0, "{dropped}");
    }
}

/// Waits while a run makes some steps.
fn let_it_learn(nats: &Nats, name: &str, steps: u64) {
    let reached = |status: &serde_json::Value| status["reached"]["step"].as_u64().unwrap_or(0);
    let from = nats.status(name).map_or(0, |status| reached(&status));
    nats.wait_until(name, |status| reached(status) >= from + steps);
}

#[test]
fn a_fleet_goes_on_without_loss_whoever_is_killed() {
    let Some(mut nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("killed");
    let path = run.display().to_string();
    let arguments = toy(&path, "1500", "1");
    let mut learner = nats.spawn(
        "learn",
        &[&["--lease", "2", "--log"], &words(&arguments)[..]].concat(),
    );
    nats.wait_until("killed", |_| true);
    let act = ["--run", "killed", "--threads", "1"];
    let mut actors = [nats.spawn("act", &act), nats.spawn("act", &act)];
    nats.wait_until("killed", |status| {
        let held = |actor: &serde_json::Value| actor["shards"].as_u64() > Some(0);
        let actors = status["actors"].as_array();
        actors.is_some_and(|actors| actors.len() == 2 && actors.iter().all(held))
    });
    let_it_learn(&nats, "killed", 10);
    actors[0].kill();
    actors[0] = nats.spawn("act", &act);
    let_it_learn(&nats, "killed", 10);
    nats.kill();
    nats.start_again();
    let_it_learn(&nats, "killed", 10);
    learner.kill();
    let before = nats.status("killed").expect("it is known");
    let learner = nats.spawn("learn", &["--resume", &path, "--log"]);
    let epoch = |status: &serde_json::Value| status["reached"]["epoch"].as_u64();
    nats.wait_until("killed", |status| epoch(status) > epoch(&before));
    // A second learner is told that there is one.
    let other = folder.path().join("other").display().to_string();
    let second = ["fleet", "learn", "--name", "killed", "--server"]
        .map(str::to_owned)
        .into_iter();
    let second = second
        .chain([nats.url()])
        .chain(toy(&other, "1500", "1"))
        .collect::<Vec<_>>();
    refused(&second, &["another run 'killed'", "--name"]);
    let (code, said) = learner.end();
    assert_eq!(code, Some(0), "{said}");
    for actor in actors {
        let (code, said) = actor.end();
        assert_eq!(code, Some(0), "{said}");
    }
    let (found, kept) = (nats.found("killed"), memories(&run));
    assert!(
        !found.is_empty() && found.is_subset(&kept),
        "{:?}",
        found.difference(&kept).next()
    );
    let status = nats.status("killed").expect("it is known");
    assert_eq!(status["reached"]["step"], 1500);
    // What was learnt twice, before and after the kill, is in the log once.
    let replayed = json(["fleet", "replay", "--json", &path]);
    assert_eq!(
        (&replayed["batches"], &replayed["different"]),
        (&1500.into(), &0.into())
    );
}

/// How many shards each actor of a run has.
fn shards(status: &serde_json::Value) -> Vec<u64> {
    let actors = status["actors"].as_array().expect("a list");
    actors
        .iter()
        .filter_map(|actor| actor["shards"].as_u64())
        .collect()
}

#[test]
fn whoever_sleeps_past_its_lease_is_refused_and_nothing_is_lost() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("asleep");
    let path = run.display().to_string();
    let arguments = toy(&path, "1200", "1");
    let learner = nats.spawn("learn", &[&["--lease", "2"], &words(&arguments)[..]].concat());
    nats.wait_until("asleep", |_| true);
    let act = ["--run", "asleep", "--threads", "1"];
    let actors = [nats.spawn("act", &act), nats.spawn("act", &act)];
    nats.wait_until("asleep", |status| {
        shards(status).iter().filter(|&&has| has > 0).count() == 2
    });
    let_it_learn(&nats, "asleep", 10);

    // An actor sleeps until the other has all of its shards.
    actors[0].signal("STOP");
    nats.wait_until("asleep", |status| {
        shards(status) == [status["shards"].as_u64().expect("a number")]
    });
    let_it_learn(&nats, "asleep", 10);
    actors[0].signal("CONT");
    // It comes by shards again in the way of all others.
    nats.wait_until("asleep", |status| {
        shards(status).iter().filter(|&&has| has > 0).count() == 2
    });
    let_it_learn(&nats, "asleep", 10);

    // The learner sleeps, and one on another machine takes over what it has left.
    learner.signal("STOP");
    let copy = folder.path().join("elsewhere");
    std::fs::create_dir(&copy).unwrap();
    for file in std::fs::read_dir(&run).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.join(file.file_name())).unwrap();
    }
    let before = nats.status("asleep").expect("it is known");
    let second = nats.spawn("learn", &["--resume", &copy.display().to_string()]);
    let epoch = |status: &serde_json::Value| status["reached"]["epoch"].as_u64();
    nats.wait_until("asleep", |status| epoch(status) > epoch(&before));
    let_it_learn(&nats, "asleep", 10);
    learner.signal("CONT");
    let (code, said) = learner.end();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("another learner has taken this run over"), "{said}");
    let (code, said) = second.end();
    assert_eq!(code, Some(0), "{said}");
    for actor in actors {
        let (code, said) = actor.end();
        assert_eq!(code, Some(0), "{said}");
    }
    let (found, kept) = (nats.found("asleep"), memories(&copy));
    assert!(!found.is_empty() && found.is_subset(&kept));
    let status = nats.status("asleep").expect("it is known");
    assert_eq!(status["reached"]["step"], 1200);
}

#[test]
fn assistants_share_the_steps_come_and_go() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("shared");
    let path = run.display().to_string();
    let arguments = toy(&path, "900", "1");
    let learner = nats.spawn("learn", &[&["--lease", "2"], &words(&arguments)[..]].concat());
    nats.wait_until("shared", |_| true);
    let actor = nats.spawn("act", &["--run", "shared", "--threads", "1"]);
    let assist = ["--run", "shared", "--threads", "1", "--json"];
    let mut killed = nats.spawn("assist", &assist);
    let assistants = [nats.spawn("assist", &assist), nats.spawn("assist", &assist)];
    let gradients = |status: &serde_json::Value| status["learner"]["assistance"]["gradients"].as_u64();
    nats.wait_until("shared", |status| {
        status["learner"]["assistance"]["assistants"] == 3 && gradients(status) > Some(30)
    });
    // One that is gone is not waited for, and its batch goes to another.
    killed.kill();
    let_it_learn(&nats, "shared", 30);
    nats.wait_until("shared", |status| {
        status["assistants"]
            .as_array()
            .is_some_and(|there| there.len() == 2)
    });
    let (code, said) = learner.end();
    assert_eq!(code, Some(0), "{said}");
    let mut batches = 0;
    for assistant in assistants {
        let (code, said) = assistant.end();
        assert_eq!(code, Some(0), "{said}");
        let line = said
            .lines()
            .find(|line| line.starts_with('{'))
            .expect("an object");
        let did: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(did["is_over"], true, "{did}");
        let (learnt, found) = (did["batches"].as_u64(), did["gradients"].as_u64());
        assert!(learnt > Some(0) && found >= learnt, "{did}");
        batches += learnt.unwrap_or(0);
    }
    let (code, said) = actor.end();
    assert_eq!(code, Some(0), "{said}");
    let status = nats.status("shared").expect("it is known");
    assert_eq!(status["reached"]["step"], 900);
    // What assistants count as learnt from is what the learner took, less what the killed one had found.
    assert!(gradients(&status) >= Some(batches) && batches > 30, "{status}");
    assert!(nats.found("shared").is_subset(&memories(&run)));
    // The dashboard reads the same beside the run.
    let kept = std::fs::read(run.join("fleet-status.json")).expect("it is kept");
    let kept: serde_json::Value = serde_json::from_slice(&kept).expect("JSON");
    assert_eq!(
        (&kept["is_over"], &kept["reached"]),
        (&true.into(), &status["reached"])
    );
}

#[test]
fn assistants_go_on_whoever_sleeps_or_dies_and_leave_the_learner_something_to_do() {
    let Some(mut nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("narrow");
    let path = run.display().to_string();
    // There is room for as many batches as there are learners, of which one is always left; numbers travel in 16 bits.
    let arguments = toy(&path, "900", "1");
    let narrow = ["--lease", "2", "--room", "4", "--half"];
    let mut learner = nats.spawn("learn", &[&narrow, &words(&arguments)[..]].concat());
    nats.wait_until("narrow", |_| true);
    let actor = nats.spawn("act", &["--run", "narrow", "--threads", "1"]);
    let assist = ["--run", "narrow", "--threads", "1"];
    let assistants = [(); 3].map(|()| nats.spawn("assist", &assist));
    let gradients = |status: &serde_json::Value| status["learner"]["assistance"]["gradients"].as_u64();
    nats.wait_until("narrow", |status| gradients(status) > Some(5));

    // One sleeps, and what it sends when it wakes is too late.
    assistants[0].signal("STOP");
    let_it_learn(&nats, "narrow", 20);
    assistants[0].signal("CONT");
    let_it_learn(&nats, "narrow", 20);

    // The learner dies: the next one has the same assistants, and knows nothing of what they had begun.
    learner.kill();
    let before = nats.status("narrow").expect("it is known");
    let learner = nats.spawn("learn", &["--resume", &path]);
    let epoch = |status: &serde_json::Value| status["learner"]["epoch"].as_u64();
    nats.wait_until("narrow", |status| {
        epoch(status) > epoch(&before) && gradients(status) > Some(5)
    });
    nats.kill();
    nats.start_again();
    let from = nats.status("narrow").and_then(|status| gradients(&status));
    nats.wait_until("narrow", |status| {
        gradients(status) > from || status["is_over"] == true
    });
    for process in [learner, actor].into_iter().chain(assistants) {
        let (code, said) = process.end();
        assert_eq!(code, Some(0), "{said}");
    }
    let status = nats.status("narrow").expect("it is known");
    assert_eq!(status["reached"]["step"], 900);
    assert!(nats.found("narrow").is_subset(&memories(&run)));
}

#[test]
fn a_learner_in_lock_step_takes_no_assistants() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alone").display().to_string();
    let arguments = toy(&path, "30", "1");
    let learner = nats.spawn("learn", &[&["--lock-step"], &words(&arguments)[..]].concat());
    nats.wait_until("alone", |status| status["learner"].is_object());
    refused(
        [
            "fleet",
            "assist",
            "--server",
            &nats.url(),
            "--run",
            "alone",
            "--threads",
            "1",
        ],
        &["'alone'", "takes no assistants", "lock step"],
    );
    drop(learner);
}

#[test]
fn whoever_does_not_fit_is_refused_in_a_sentence() {
    let Some(nats) = Nats::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit").display().to_string();
    let url = nats.url();
    refused(
        ["fleet", "act", "--server", &url, "--run", "none"],
        &["no run 'none'"],
    );
    refused(
        ["fleet", "status", "--server", &url, "--run", "a b"],
        &["'a b' cannot be the name"],
    );
    refused(
        [
            "fleet",
            "list",
            "--server",
            "nats://127.0.0.1:1",
            "--patience",
            "1",
        ],
        &["no NATS server", "127.0.0.1:1", "--server"],
    );
    let questions = folder.path().join("others.jsonl");
    let table = folder.path().join("people.csv");
    std::fs::write(&table, "Name,Points\nAnne,3\nBob,4\n").unwrap();
    std::fs::write(&questions, "{\"question\": \"who has 3 points?\", \"table\": \"people.csv\", \"answer\": [\"Anne\"], \"split\": \"train\"}\n").unwrap();
    let learner = nats.spawn("learn", &words(&toy(&path, "400", "1")));
    nats.wait_until("fit", |_| true);
    let data = format!("jsonl:{}", questions.display());
    refused(
        [
            "fleet",
            "act",
            "--server",
            &url,
            "--run",
            "fit",
            "--data",
            &data,
            "--threads",
            "1",
        ],
        &["the data here is not that of the run"],
    );
    drop(learner);
    assert_eq!(run_well(["fleet", "list", "--server", &url]), "fit\n");
    run_well(["fleet", "forget", "--server", &url, "--run", "fit"]);
    assert_eq!(run_well(["fleet", "list", "--server", &url]), "");
}
