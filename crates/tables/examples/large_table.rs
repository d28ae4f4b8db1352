//! Writes a large table, the same for the same arguments: complaints to a city, with numbers of their own,
//! dates, categories, addresses, free text, amounts and many gaps.
//!
//! ```text
//! cargo run --release -p mapo-tables --example large_table -- complaints.csv --rows 1800000 --columns 59
//! ```

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

const AGENCIES: [&str; 12] = [
    "NYPD", "HPD", "DOT", "DEP", "DSNY", "DOB", "DPR", "DOHMH", "TLC", "DCA", "EDC", "DHS",
];
const COMPLAINTS: [&str; 24] = [
    "Noise - Residential",
    "Heat/Hot Water",
    "Illegal Parking",
    "Blocked Driveway",
    "Street Condition",
    "Street Light Condition",
    "Plumbing",
    "Water System",
    "General Construction",
    "Noise - Street/Sidewalk",
    "Traffic Signal Condition",
    "Unsanitary Condition",
    "Paint/Plaster",
    "Sewer",
    "Dirty Conditions",
    "Sanitation Condition",
    "Rodent",
    "Damaged Tree",
    "Derelict Vehicle",
    "Taxi Complaint",
    "Noise - Vehicle",
    "Broken Muni Meter",
    "Food Poisoning",
    "Animal Abuse",
];
const DESCRIPTORS: [&str; 16] = [
    "Loud Music/Party",
    "Entire Building",
    "No Access",
    "Pothole",
    "Banging/Pounding",
    "Apartment Only",
    "Street Light Out",
    "Rat Sighting",
    "Loud Talking",
    "Trash",
    "Water Leak (Hydrant)",
    "Controller",
    "Failed Street Repair",
    "Ceiling",
    "Commercial Overnight Parking",
    "With License Plate",
];
const BOROUGHS: [&str; 5] = ["BROOKLYN", "QUEENS", "MANHATTAN", "BRONX", "STATEN ISLAND"];
const STREETS: [&str; 20] = [
    "MAIN", "OAK", "BEDFORD", "FLATBUSH", "MYRTLE", "JAMAICA", "ATLANTIC", "GRAND", "FULTON", "NOSTRAND",
    "LIBERTY", "PARK", "OCEAN", "KINGS", "QUEENS", "HYLAN", "VICTORY", "RICHMOND", "WEBSTER", "JEROME",
];
const WAYS: [&str; 6] = ["STREET", "AVENUE", "BOULEVARD", "PLACE", "ROAD", "PARKWAY"];
const WORDS: [&str; 48] = [
    "the",
    "department",
    "of",
    "responded",
    "to",
    "complaint",
    "and",
    "with",
    "found",
    "no",
    "evidence",
    "violation",
    "inspected",
    "condition",
    "was",
    "not",
    "observed",
    "at",
    "time",
    "inspection",
    "tenant",
    "landlord",
    "repair",
    "completed",
    "scheduled",
    "within",
    "days",
    "crew",
    "water",
    "leak",
    "noise",
    "music",
    "loud",
    "building",
    "apartment",
    "door",
    "police",
    "action",
    "necessary",
    "report",
    "prepared",
    "referred",
    "agency",
    "bureau",
    "customer",
    "unable",
    "access",
    "location",
];

struct Draw(Xoshiro256PlusPlus);

impl Draw {
    fn below(&mut self, many: u64) -> u64 {
        // Not quite even, which nobody will see.
        self.0.next_u64() % many
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        // The first come more often, as in life.
        let (a, b) = (self.below(of.len() as u64), self.below(of.len() as u64));
        of[a.min(b) as usize]
    }
}

/// What the cells of a column are.
#[derive(Clone, Copy)]
enum Kind {
    Key,
    Moment,
    Day,
    Agency,
    Complaint,
    Descriptor,
    Borough,
    Zip,
    Address,
    Street,
    Prose,
    Status,
    Whole,
    Amount,
    Decimal,
    Coordinate,
    Point,
    Yes,
    Code,
    Phone,
}

/// Names, kinds and how many of a hundred cells are empty. A table of more columns repeats them.
const COLUMNS: [(&str, Kind, u64); 59] = [
    ("Unique Key", Kind::Key, 0),
    ("Created Date", Kind::Moment, 0),
    ("Closed Date", Kind::Moment, 4),
    ("Agency", Kind::Agency, 0),
    ("Complaint Type", Kind::Complaint, 0),
    ("Descriptor", Kind::Descriptor, 2),
    ("Location Type", Kind::Descriptor, 20),
    ("Incident Zip", Kind::Zip, 5),
    ("Incident Address", Kind::Address, 15),
    ("Street Name", Kind::Street, 15),
    ("Cross Street 1", Kind::Street, 30),
    ("Cross Street 2", Kind::Street, 30),
    ("Address Type", Kind::Status, 5),
    ("City", Kind::Borough, 5),
    ("Landmark", Kind::Street, 99),
    ("Facility Type", Kind::Status, 60),
    ("Status", Kind::Status, 0),
    ("Due Date", Kind::Day, 60),
    ("Resolution Description", Kind::Prose, 5),
    ("Resolution Updated", Kind::Day, 2),
    ("Community Board", Kind::Code, 0),
    ("BBL", Kind::Key, 20),
    ("Borough", Kind::Borough, 0),
    ("X Coordinate", Kind::Whole, 5),
    ("Y Coordinate", Kind::Whole, 5),
    ("Channel", Kind::Status, 0),
    ("Park Facility", Kind::Street, 97),
    ("Park Borough", Kind::Borough, 0),
    ("Vehicle Type", Kind::Status, 99),
    ("Company", Kind::Code, 99),
    ("Pick Up Location", Kind::Street, 98),
    ("Bridge", Kind::Street, 99),
    ("Bridge Direction", Kind::Status, 99),
    ("Road Ramp", Kind::Status, 99),
    ("Bridge Segment", Kind::Code, 99),
    ("Latitude", Kind::Coordinate, 5),
    ("Longitude", Kind::Coordinate, 5),
    ("Location", Kind::Point, 5),
    ("School Name", Kind::Street, 90),
    ("School Number", Kind::Code, 90),
    ("School Region", Kind::Code, 95),
    ("School Phone", Kind::Phone, 95),
    ("School City", Kind::Borough, 95),
    ("School Zip", Kind::Zip, 95),
    ("School Not Found", Kind::Yes, 10),
    ("Fine", Kind::Amount, 40),
    ("Penalty", Kind::Amount, 70),
    ("Days Open", Kind::Whole, 3),
    ("Inspections", Kind::Whole, 10),
    ("Units", Kind::Whole, 30),
    ("Floors", Kind::Whole, 30),
    ("Rating", Kind::Decimal, 20),
    ("Score", Kind::Decimal, 20),
    ("Council District", Kind::Code, 5),
    ("Police Precinct", Kind::Code, 5),
    ("Census Tract", Kind::Whole, 5),
    ("Appealed", Kind::Yes, 0),
    ("Priority", Kind::Status, 0),
    ("Note", Kind::Prose, 85),
];

fn write_cell(out: &mut impl Write, kind: Kind, row: u64, draw: &mut Draw) -> io::Result<()> {
    match kind {
        Kind::Key => write!(out, "{}", 20_000_000 + row * 3 + draw.below(3)),
        Kind::Moment => {
            let (year, month, day) = (2010 + draw.below(10), 1 + draw.below(12), 1 + draw.below(28));
            let (hour, minute, second) = (1 + draw.below(12), draw.below(60), draw.below(60));
            let half = if draw.below(2) == 0 { "AM" } else { "PM" };
            write!(
                out,
                "{month:02}/{day:02}/{year} {hour:02}:{minute:02}:{second:02} {half}"
            )
        }
        Kind::Day => write!(
            out,
            "{}-{:02}-{:02}",
            2010 + draw.below(10),
            1 + draw.below(12),
            1 + draw.below(28)
        ),
        Kind::Agency => out.write_all(draw.one(&AGENCIES).as_bytes()),
        Kind::Complaint => out.write_all(draw.one(&COMPLAINTS).as_bytes()),
        Kind::Descriptor => out.write_all(draw.one(&DESCRIPTORS).as_bytes()),
        Kind::Borough => out.write_all(draw.one(&BOROUGHS).as_bytes()),
        Kind::Zip => write!(out, "{}", 10_001 + draw.below(1_400)),
        Kind::Address => write!(
            out,
            "{} {} {} {}",
            1 + draw.below(2_000),
            ["EAST", "WEST", "NORTH", "SOUTH"][draw.below(4) as usize],
            draw.one(&STREETS),
            draw.one(&WAYS)
        ),
        Kind::Street => write!(
            out,
            "{} {} {}",
            draw.one(&["EAST", "WEST", "OLD"]),
            draw.one(&STREETS),
            draw.one(&WAYS)
        ),
        Kind::Prose => {
            out.write_all(b"\"")?;
            for place in 0..4 + draw.below(12) {
                if place > 0 {
                    out.write_all(if draw.below(9) == 0 { b", " } else { b" " })?;
                }
                out.write_all(draw.one(&WORDS).as_bytes())?;
            }
            if draw.below(50) == 0 {
                write!(out, ".\nSee \"\"{}\"\"", draw.below(100_000))?;
            }
            out.write_all(b"\"")
        }
        Kind::Status => out.write_all(
            draw.one(&["Closed", "Open", "Pending", "Assigned", "Started"])
                .as_bytes(),
        ),
        Kind::Whole => write!(out, "{}", draw.below(1_000) * draw.below(1_000)),
        Kind::Amount => {
            let amount = draw.below(3_000_000);
            match amount / 100_000 {
                0 => write!(out, "${}.{:02}", amount / 100, amount % 100),
                _ => write!(
                    out,
                    "\"${},{:03}.{:02}\"",
                    amount / 100_000,
                    amount / 100 % 1_000,
                    amount % 100
                ),
            }
        }
        Kind::Decimal => write!(out, "{:.2}", draw.below(10_000) as f64 / 100.0),
        Kind::Coordinate => write!(out, "{}.{:09}", 40 + draw.below(2), draw.below(1_000_000_000)),
        Kind::Point => write!(
            out,
            "\"(40.{:06}, -73.{:06})\"",
            draw.below(1_000_000),
            draw.below(1_000_000)
        ),
        Kind::Yes => out.write_all(if draw.below(3) == 0 { b"Y" } else { b"N" }),
        Kind::Code => write!(out, "{:02} {}", 1 + draw.below(18), draw.one(&BOROUGHS)),
        Kind::Phone => write!(out, "(718) 555-{:04}", draw.below(10_000)),
    }
}

fn write_table(path: &str, rows: u64, columns: usize) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let columns: Vec<(String, Kind, u64)> = (0..columns)
        .map(|place| {
            let (name, kind, gaps) = COLUMNS[place % COLUMNS.len()];
            let name = match place / COLUMNS.len() {
                0 => name.to_owned(),
                again => format!("{name} {}", again + 1),
            };
            (name, kind, gaps)
        })
        .collect();
    let header: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
    writeln!(out, "{}", header.join(","))?;
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(1));
    for row in 0..rows {
        for (place, (_, kind, gaps)) in columns.iter().enumerate() {
            if place > 0 {
                out.write_all(b",")?;
            }
            if draw.below(100) >= *gaps {
                write_cell(&mut out, *kind, row, &mut draw)?;
            }
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut path, mut rows, mut columns) = (None, 1_800_000, 59);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|number| number.parse().ok());
        match argument.as_str() {
            "--rows" => rows = number().unwrap_or(rows),
            "--columns" => columns = number().unwrap_or(59) as usize,
            _ => path = Some(argument),
        }
    }
    let Some(path) = path else {
        eprintln!("give the file to write: large_table FILE [--rows 1800000] [--columns 59]");
        return ExitCode::from(2);
    };
    match write_table(&path, rows, columns.max(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}
