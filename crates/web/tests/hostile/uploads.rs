//! Tables, their names, and how they are sent.

use crate::support::request;
use crate::{case, send_all, start};

#[test]
fn hostile_tables() {
    let server = start();
    let upload = |name: &str, file: &str, content: &[u8], good: &[u16]| {
        let path = format!("/api/tables?name={file}");
        case(name, request(server.address, "POST", &path, &[], content), good)
    };
    let noise: Vec<u8> = (0u32..50_000)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let utf16: Vec<u8> = "\u{feff}Name,Age\nAnne,7\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let wide = |columns: usize| {
        let header: Vec<String> = (0..columns).map(|n| format!("c{n}")).collect();
        format!("{}\n{}\n", header.join(","), vec!["1"; columns].join(","))
    };
    let header: Vec<String> = (0..3_000).map(|n| n.to_string()).collect();
    let bomb = format!("{}\n{}", header.join(","), "a\n".repeat(15_000));
    let deep = format!("{{\"a\":{}1{}}}\n", "[".repeat(50_000), "]".repeat(50_000));
    let keys: String = (0..3_000).map(|n| format!("{{\"k{n}\":{n}}}\n")).collect();
    let parquet = |middle: &[u8]| [b"PAR1", middle, b"PAR1"].concat();
    let refused = [400, 413, 422];
    let any = [201, 400, 413, 422];
    let cases = vec![
        upload("nothing", "t.csv", b"", &refused),
        upload("a line end", "t.csv", b"\n", &refused),
        upload("blanks", "t.csv", b"   ", &refused),
        upload("a byte order mark", "t.csv", b"\xef\xbb\xbf", &refused),
        upload("a header only", "t.csv", b"a,b,c\n", &refused),
        upload("a header without end", "t.csv", b"a,b,c", &refused),
        upload("NULs", "t.csv", &[0; 5_000], &refused),
        upload("a NUL in a cell", "t.csv", b"a,b\n1,\0\n", &any),
        upload("noise", "t.csv", &noise, &refused),
        upload("noise as parquet", "t.parquet", &noise, &refused),
        upload("noise as JSON lines", "t.jsonl", &noise, &refused),
        upload(
            "a picture",
            "t.csv",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01",
            &refused,
        ),
        upload(
            "a spreadsheet",
            "t.xlsx",
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0bin",
            &refused,
        ),
        upload(
            "a broken gzip",
            "t.csv.gz",
            b"\x1f\x8b\x08\0\0\0\0\0\0\x03broken",
            &refused,
        ),
        upload(
            "a program",
            "t.csv",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0",
            &refused,
        ),
        upload("broken UTF-8", "t.csv", b"a,b\n1,\xff\xfe\xfa\n", &any),
        upload("half a character", "t.csv", b"a,b\n1,\xe2\x82\n", &any),
        upload("a surrogate", "t.csv", b"a,b\n1,\xed\xa0\x80\n", &any),
        upload("UTF-16", "t.csv", &utf16, &any),
        upload("Latin-1", "t.csv", b"Name,Stadt\nJ\xf6rg,K\xf6ln\n", &any),
        upload("an open quote", "t.csv", b"a,b\n\"1,2\n3,4\n", &any),
        upload("quotes only", "t.csv", &b"\"".repeat(10_001), &any),
        upload("quotes in quotes", "t.csv", b"a\n\"\"\"\"\"\"\n", &any),
        upload("commas only", "t.csv", &b",".repeat(20_000), &refused),
        upload("line ends only", "t.csv", &b"\n".repeat(100_000), &refused),
        upload("old line ends", "t.csv", b"a,b\r1,2\r3,4\r", &any),
        upload("uneven rows", "t.csv", b"a,b,c\n1\n1,2,3,4,5,6,7\n\n", &any),
        upload("equal headers", "t.csv", b"a,a,a,a\n1,2,3,4\n", &any),
        upload("empty headers", "t.csv", b",,,\n1,2,3,4\n", &any),
        upload("5,000 columns", "t.csv", wide(5_000).as_bytes(), &any),
        upload("60,000 columns", "t.csv", wide(60_000).as_bytes(), &refused),
        upload("few bytes, many cells", "t.csv", bomb.as_bytes(), &refused),
        upload(
            "too many rows",
            "t.csv",
            "a\n1\n".repeat(20_000).as_bytes(),
            &refused,
        ),
        upload(
            "one long cell",
            "t.csv",
            format!("a\n{}\n", "x".repeat(900_000)).as_bytes(),
            &any,
        ),
        upload(
            "one long header",
            "t.csv",
            format!("{}\n1\n", "h".repeat(900_000)).as_bytes(),
            &any,
        ),
        upload(
            "long digits",
            "t.csv",
            format!("a\n{}\n", "9".repeat(100_000)).as_bytes(),
            &any,
        ),
        upload(
            "extreme numbers",
            "t.csv",
            b"a\n1e999\n-1e999\nNaN\ninf\n0x10\n1e-400\n",
            &any,
        ),
        upload(
            "impossible dates",
            "t.csv",
            b"a\n9999-99-99\n0000-00-00\n31 February 2001\n",
            &any,
        ),
        upload(
            "escape sequences",
            "t.csv",
            b"a\x1b]0;owned\x07,b\n\x1b[2J\x1b[31m,\x08\x08\n",
            &any,
        ),
        upload(
            "right to left",
            "t.csv",
            "a\u{202e},b\n\u{202e}gpj.exe,\u{200b}\n".as_bytes(),
            &any,
        ),
        upload(
            "stacked accents",
            "t.csv",
            format!("a\nz{}\n", "\u{301}".repeat(50_000)).as_bytes(),
            &any,
        ),
        upload("JSON lines, broken", "t.jsonl", b"{\"a\":1}\n{\"a\":\n", &any),
        upload("JSON lines, no objects", "t.jsonl", b"1\n2\n[]\nnull\n", &any),
        upload("JSON lines, deep", "t.jsonl", deep.as_bytes(), &any),
        upload("JSON lines, ever new keys", "t.jsonl", keys.as_bytes(), &any),
        upload("parquet, nothing inside", "t.parquet", &parquet(b""), &refused),
        upload(
            "parquet, a long footer",
            "t.parquet",
            &parquet(b"\xff\xff\xff\x7f"),
            &refused,
        ),
        upload(
            "parquet, a footer of zeros",
            "t.parquet",
            &parquet(&[0; 64]),
            &refused,
        ),
        upload(
            "parquet, a negative length",
            "t.parquet",
            &parquet(b"xxxx\xff\xff\xff\xff"),
            &refused,
        ),
        upload("parquet by name only", "t.parquet", b"a,b\n1,2\n", &any),
    ];
    let count = send_all(&server, cases);
    assert!(count >= 45, "{count}");
}

#[test]
fn hostile_names_and_lengths() {
    let server = start();
    let table = b"a,b\n1,2\n";
    let named = |name: &str, query: &str, good: &[u16]| {
        let path = format!("/api/tables{query}");
        case(name, request(server.address, "POST", &path, &[], table), good)
    };
    let with = |name: &str, headers: &[(&str, &str)], body: &[u8], good: &[u16]| {
        case(
            name,
            request(server.address, "POST", "/api/tables?name=t.csv", headers, body),
            good,
        )
    };
    let long = format!("?name={}", "n".repeat(20_000));
    let chunked = ("Transfer-Encoding", "chunked");
    let endless: Vec<u8> = b"10000\r\n"
        .iter()
        .copied()
        .chain([b'x'; 65536])
        .chain(*b"\r\n")
        .collect::<Vec<_>>()
        .repeat(40);
    let cases = vec![
        named("a path as a name", "?name=../../../etc/passwd", &[201]),
        named("an encoded path", "?name=..%2f..%2fetc%2fpasswd%00.csv", &[201]),
        named("line ends in a name", "?name=a%0d%0aSet-Cookie:%20x=y", &[201]),
        named("broken UTF-8 in a name", "?name=%ff%fe", &[201, 400]),
        named("a long name", &long, &[201]),
        named("no name", "", &[201]),
        named("two names", "?name=a&name=b", &[400]),
        named("an unknown parameter", "?evil=1", &[400]),
        named(
            "markup in a name",
            "?name=%3Cscript%3Ealert(1)%3C/script%3E",
            &[201],
        ),
        with(
            "a longer length than the limit",
            &[("Content-Length", "99999999999")],
            b"a\n1\n",
            &[413],
        ),
        with(
            "a length beyond numbers",
            &[("Content-Length", "99999999999999999999999")],
            b"a\n1\n",
            &[400],
        ),
        with(
            "a negative length",
            &[("Content-Length", "-1")],
            b"a\n1\n",
            &[400],
        ),
        with(
            "two lengths",
            &[("Content-Length", "4"), ("Content-Length", "9")],
            b"a\n1\n",
            &[400],
        ),
        with(
            "length and chunks",
            &[("Content-Length", "4"), chunked],
            b"4\r\na\n1\n\r\n0\r\n\r\n",
            &[201, 400],
        ),
        with("chunks without end", &[chunked], &endless, &[413]),
        with("a broken chunk", &[chunked], b"zz\r\na\n1\n\r\n", &[400]),
        with(
            "a chunk beyond numbers",
            &[chunked],
            b"fffffffffffffffff\r\na",
            &[400],
        ),
        with(
            "an unknown coding",
            &[("Transfer-Encoding", "gzip, evil")],
            b"a\n1\n",
            &[400, 501],
        ),
        with(
            "a body shorter than it says",
            &[("Content-Length", "500")],
            b"a\n1\n",
            &[408, 400],
        ),
        with(
            "compressed by its word only",
            &[("Content-Encoding", "gzip")],
            b"a\n1\n",
            &[201, 415],
        ),
        with(
            "asks before it sends too much",
            &[("Content-Length", "99999999"), ("Expect", "100-continue")],
            b"x",
            &[413],
        ),
    ];
    send_all(&server, cases);
}
