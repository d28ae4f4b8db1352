//! A fleet whose server asks for TLS and knows a key for each role: `examples/fleet/nats.conf` as it stands, but for its
//! places and keys. Needs `openssl` beside `nats-server`.

#![allow(clippy::unwrap_used)] // in a test a panic is the report

mod support;

use std::path::Path;
use std::process::Command;
use support::nats::{Nats, Process};
use support::{QUICK, refused, run_well};

/// Keys that are for this test alone: the seed and the public key of each role.
const KEYS: [(&str, &str, &str); 3] = [
    (
        "LEARNER",
        "SUAGLENXE3VLV2UTZEGQUIIIBQZU7CZO6OAT4L7KFDNDFQ4KKPC4G7MEO4",
        "UDVJ5HLUZ56LXVF3YJMMPADJW6A4HUUZNLR3QJ6SF2MDB5SZLITWGCJ4",
    ),
    (
        "ACTOR",
        "SUAHBTUQNCUUT3HO75H7KIZGZSYCIVVGB76KCHB6LRBJTIHO2PKT3AUZHY",
        "UDVFHNKGGV4TL3NWHCI7THD7QKF3QLL26E7LNWRM4HBQ2XJJNXM4CUI7",
    ),
    (
        "WORKER",
        "SUAGVHQYXT7F3QWFPPQCTO3FPTKR7JSAVKL7NDOCZTFNMFMKDS2J2VWCSI",
        "UCBYKUTL4K5SVFUPRITUFVEETUOU74LQRI3Z6M5T2ZBBH7EJZA6ZAASC",
    ),
];

/// Makes an authority and a certificate for this machine; false where there is no openssl.
fn certificates(folder: &Path) -> bool {
    let openssl = |arguments: &str| {
        let ran = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(folder)
            .output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    std::fs::write(
        folder.join("names"),
        "subjectAltName=DNS:localhost,IP:127.0.0.1\n",
    )
    .unwrap();
    openssl(&format!(
        "req -x509 {key} -days 2 -subj /CN=authority -keyout ca.key -out ca.pem"
    )) && openssl(&format!(
        "req {key} -subj /CN=localhost -keyout server.key -out server.csr"
    )) && openssl(
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    )
}

#[test]
fn each_role_works_with_its_own_key_over_tls_and_nobody_without_one() {
    let folder = tempfile::tempdir().unwrap();
    if !certificates(folder.path()) {
        eprintln!("SKIPPED: there is no openssl that makes certificates");
        return;
    }
    let place = folder.path().display().to_string();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fleet/nats.conf");
    let mut config = std::fs::read_to_string(example)
        .unwrap()
        .replace("/etc/nats/", &format!("{place}/"));
    for (role, seed, public) in KEYS {
        config = config.replace(&format!("U_{role}_PUBLIC_KEY"), public);
        std::fs::write(folder.path().join(role), seed).unwrap();
    }
    let Some(nats) = Nats::start_with(|store, port| {
        let config = config
            .replace("/var/lib/nats", &store.display().to_string())
            .replace("0.0.0.0:4222", &format!("127.0.0.1:{port}"))
            .replace("50GB", "1GB");
        let file = folder.path().join("nats.conf");
        std::fs::write(&file, config).unwrap();
        vec!["-c".to_owned(), file.display().to_string()]
    }) else {
        return;
    };
    let url = format!("tls://localhost:{}", nats.port());
    let authority = format!("{place}/ca.pem");
    let with_key = |command: &[&str], flag: &str, role: &str| -> Vec<String> {
        let key = format!("{place}/{role}");
        let access = [flag, &url, "--ca", &authority, "--nkey", &key];
        command
            .iter()
            .chain(&access)
            .map(|argument| (*argument).to_owned())
            .collect()
    };
    refused(
        ["fleet", "list", "--server", &url, "--ca", &authority],
        &["authorization violation", "--nkey"],
    );
    let other = format!("{place}/server.pem");
    let actor = format!("{place}/ACTOR");
    refused(
        [
            "fleet", "list", "--server", &url, "--ca", &other, "--nkey", &actor,
        ],
        &["certificate", "--ca"],
    );

    let run = folder.path().join("keyed").display().to_string();
    let toy = [
        "--data",
        "toy",
        "--limit",
        "60",
        "--threads",
        "1",
        "--set",
        "batch=12",
    ];
    let learn = [
        "fleet",
        "learn",
        "--evaluate-elsewhere",
        "--run",
        &run,
        "--steps",
        "20",
    ];
    let learn = [&learn[..], &toy, &QUICK].concat();
    // An actor's key makes no run.
    let stolen = [&learn[..], &["--patience", "1"]].concat();
    let refused = support::run(with_key(&stolen, "--server", "ACTOR"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("a key may not do what was asked"),
        "{}",
        refused.stderr
    );
    std::fs::remove_dir_all(&run).unwrap();

    let learner = Process::start(&with_key(&learn, "--server", "LEARNER"));
    let known = || run_well(with_key(&["fleet", "list"], "--server", "LEARNER"));
    support::nats::wait_until("the run is known", || known() == "keyed\n");
    let actor = Process::start(&with_key(
        &["fleet", "act", "--run", "keyed", "--threads", "1"],
        "--server",
        "ACTOR",
    ));
    let assist = ["fleet", "assist", "--run", "keyed", "--threads", "1"];
    let assistant = Process::start(&with_key(&assist, "--server", "ACTOR"));
    let examiner = ["fleet", "evaluate", "--run", "keyed", "--threads", "1"];
    let examiner = Process::start(&with_key(&examiner, "--server", "LEARNER"));
    for (who, process) in [
        ("learner", learner),
        ("actor", actor),
        ("assistant", assistant),
        ("examiner", examiner),
    ] {
        let (code, said) = process.end();
        assert_eq!(code, Some(0), "{who}: {said}");
        assert!(who != "examiner" || said.contains("2 measured"), "{said}");
    }

    let out = folder.path().join("compared").display().to_string();
    let compare = [
        "compare",
        "--objectives",
        "mapo",
        "--seeds",
        "1",
        "--steps",
        "20",
        "--out",
        &out,
    ];
    let compare = [&compare[..], &toy, &QUICK].concat();
    let asked = Process::start(&with_key(&compare, "--fleet", "LEARNER"));
    support::nats::wait_until("the job is known", || known() == "keyed\ncompared\n");
    run_well(with_key(&["fleet", "work", "--until-done"], "--server", "WORKER"));
    let (code, said) = asked.end();
    assert_eq!(code, Some(0), "{said}");
}
