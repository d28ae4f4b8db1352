//! Word vectors, models in small files, and their cards, from the command line.

mod support;

use std::path::Path;
use support::{QUICK, file, json, refused, run, run_well};

/// Vectors for some words of the built-in questions and for many others.
fn vectors(folder: &Path) -> String {
    let mut text = String::new();
    let known = ["the", "of", "which", "name", "how", "many", "is", "?"];
    let words = known.iter().map(|word| (*word).to_owned());
    for (at, word) in words.chain((0..500).map(|i| format!("word{i}"))).enumerate() {
        let numbers: Vec<String> = (0..8)
            .map(|i| format!("{:.4}", ((at * 8 + i) as f32 * 1.3).sin()))
            .collect();
        text += &format!("{word} {}\n", numbers.join(" "));
    }
    file(folder, "vectors.txt", text)
}

/// A model that was trained for a moment.
fn train(folder: &Path, run: &str, vectors: &str) -> String {
    let dir = folder.join(run).display().to_string();
    let begin = ["train", "--data", "toy", "--limit", "60", "--run", &dir];
    let rest = [
        "--vectors",
        vectors,
        "--steps",
        "10",
        "--threads",
        "1",
        "--seed",
        "7",
    ];
    run_well(begin.into_iter().chain(rest).chain(QUICK));
    format!("{dir}/best.safetensors")
}

#[test]
fn a_model_goes_into_a_small_file_and_answers_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = vectors(folder.path());
    let compact = path("words.safetensors");
    let made = json(["words", &text, "--out", &compact, "--json"]);
    assert_eq!((&made["words"], &made["bits"]), (&508.into(), &16.into()));
    let model = train(folder.path(), "one", &text);
    let same = train(folder.path(), "two", &compact);

    let eval = |model: &str, details: &str| {
        let begin = ["eval", "--model", model, "--data", "toy", "--split", "dev"];
        let rest = ["--limit", "100", "--details", details, "--json"];
        json(begin.into_iter().chain(rest))
    };
    let (one, two, three) = (path("1"), path("2"), path("3"));
    let accuracy = eval(&model, &one)["accuracy"].as_f64().unwrap();
    eval(&same, &two);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(
        read(&one),
        read(&two),
        "the compact file trains to the same model"
    );

    // Half of the words fit.
    let whole = path("whole.safetensors");
    let whole = json(["pack", "--model", &model, "--out", &whole, "--json"]);
    assert_eq!(whole["words"], whole["of"]);
    let most = whole["bytes"].as_u64().unwrap() - 250 * 12;
    let small = path("small.safetensors");
    let packed = json([
        "pack",
        "--model",
        &model,
        "--out",
        &small,
        "--max-size",
        &most.to_string(),
        "--note",
        "licence=MIT or Apache-2.0",
        "--note",
        "command=mapo train --data toy",
        "--words-of",
        "toy",
        "--json",
    ]);
    let bytes = packed["bytes"].as_u64().unwrap();
    assert!(bytes <= most && bytes > most - 100, "{packed}");
    assert_eq!(bytes, std::fs::metadata(&small).unwrap().len());
    assert!(packed["words"].as_u64() < packed["of"].as_u64(), "{packed}");
    let evaluated = eval(&small, &three);
    assert!((evaluated["accuracy"].as_f64().unwrap() - accuracy).abs() <= 0.05);
    assert_eq!(evaluated["cards"][0]["licence"], "MIT or Apache-2.0");

    let card = json(["model", &small, "--json"]);
    assert_eq!(
        (&card["parameter_bits"], &card["word_bits"]),
        (&16.into(), &8.into())
    );
    assert_eq!(
        (&card["words"], &card["bytes"]),
        (&packed["words"], &packed["bytes"])
    );
    assert_eq!(
        (&card["vectors"], &card["step"]),
        (&"vectors.txt".into(), &10.into())
    );
    let run = &card["card"];
    assert_eq!((&run["seed"], &run["limit"]), (&7.into(), &60.into()));
    assert_eq!(run["settings"]["network"]["hidden"], 16);
    let shown = run_well(["model", &small]);
    for part in [
        "network    ",
        "of 16 bits",
        "from vectors.txt in 8 bits",
        "data       toy train, the first 60",
        "seed       7",
        "% on dev",
        "licence    MIT or Apache-2.0",
        "command    mapo train --data toy",
        "network.hidden=16",
        "learning.average=0.98\n",
    ] {
        assert!(shown.contains(part), "no '{part}' in {shown}");
    }
    let shown = run_well([
        "eval", "--model", &small, "--data", "toy", "--split", "dev", "--limit", "5",
    ]);
    assert!(shown.contains("small.safetensors (toy, step 10, "), "{shown}");

    let said = ["the network alone", "1000 are allowed", "train a smaller network"];
    refused(
        ["pack", "--model", &model, "--out", &small, "--max-size", "1kB"],
        &said,
    );
    refused(
        ["pack", "--model", &model, "--out", &small, "--note", "seed=3"],
        &["'seed' comes from the run itself"],
    );
    refused(
        ["pack", "--model", &compact, "--out", &small],
        &["words.safetensors: holds words, not a model"],
    );
    refused(["model", &compact], &["holds words, not a model"]);
    refused(
        ["words", &small, "--out", &compact],
        &["small.safetensors: holds a model, not word vectors"],
    );
    let mut damaged = std::fs::read(&small).unwrap();
    damaged.truncate(damaged.len() - 10);
    let damaged = file(folder.path(), "damaged.safetensors", damaged);
    refused(
        ["eval", "--model", &damaged, "--data", "toy"],
        &["damaged.safetensors", "not a safetensors file"],
    );
    refused(
        ["model", &damaged],
        &["damaged.safetensors", "not a safetensors file"],
    );
    // What went wrong wrote nothing.
    assert_eq!(bytes, std::fs::metadata(&small).unwrap().len());
}

#[test]
fn vectors_are_chosen_by_rank_and_by_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("words.safetensors").display().to_string();
    let text = file(
        folder.path(),
        "vectors.txt",
        "zebra 1 2\nthe 3 4\nthe 9 9\nquux 5 6\nof 7 8\n",
    );
    let some = json([
        "words",
        &text,
        "--out",
        &out,
        "--top",
        "1",
        "--words-of",
        "toy",
        "--bits",
        "8",
        "--json",
    ]);
    assert_eq!((&some["words"], &some["of"]), (&3.into(), &5.into()), "{some}");
    assert_eq!(
        (&some["found"], &some["dimensions"], &some["bits"]),
        (&2.into(), &2.into(), &8.into())
    );
    // A compact file can be cut further.
    let again = run_well(["words", &out, "--out", &out, "--top", "2"]);
    assert!(again.contains("words     2 of 3"), "{again}");
    refused(
        ["words", &text, "--out", &out, "--top", "0"],
        &["no word is left"],
    );
    refused(
        ["words", "nowhere.txt", "--out", &out],
        &["nowhere.txt", "No such file"],
    );
    let broken = file(folder.path(), "broken.txt", "a 1 2\nb 1 x\n");
    refused(
        ["words", &broken, "--out", &out],
        &["broken.txt: line 2: \"x\" is no number"],
    );
    let list = run_well(["data", "toy", "--words"]);
    let counts: Vec<usize> = list
        .lines()
        .map(|line| line.split_once('\t').unwrap().1.parse().unwrap())
        .collect();
    assert!(counts.len() > 100 && counts.is_sorted_by(|a, b| a >= b));
    let cells = run_well(["data", "toy", "--words", "--cells"]);
    assert!(cells.lines().count() > counts.len());
    let size = run(["pack", "--model", &out, "--out", &out, "--max-size", "15 miles"]);
    assert!(
        size.code == Some(2) && size.stderr.contains("is no size"),
        "{}",
        size.stderr
    );
}
