//! Cities, elections and bridges.

use super::*;

pub(super) const DOMAINS: &[Domain] = &[
    Domain {
        name: "cities",
        keys: &[
            key("City", "city", "cities"),
            key("Town", "town", "towns"),
            key("Name of town", "town", "towns"),
        ],
        names: Names::Town,
        tense: Tense::Present,
        columns: &[
            column(
                &["Region", "Province"],
                Kind::Group {
                    values: Values::Names(Names::Nation),
                    phrase: "in {}",
                },
            ),
            column(
                &["Population", "Resident population"],
                Kind::Amount(Amount {
                    range: skewed(3_200, 940_000, 13),
                    formats: &[Format::Commas],
                    unit: "",
                    most: "largest",
                    least: "smallest",
                    more: "larger",
                    rows: None,
                    adds_up: true,
                }),
            ),
            column(
                &["Area (km²)", "Land area (km²)"],
                Kind::Amount(Amount {
                    range: skewed(85, 3_200, 5),
                    formats: &[Format::Tenths],
                    unit: "",
                    most: "largest",
                    least: "smallest",
                    more: "larger",
                    rows: None,
                    adds_up: true,
                }),
            ),
            column(
                &["Founded", "Year founded"],
                Kind::Time {
                    done: "founded",
                    years: (1540, 1910),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Growth", "Population growth"],
                percent(2, 96, "fastest", "slowest", "faster"),
            ),
            column(&["Mayor", "Current mayor"], Kind::Detail(Names::Person)),
            column(
                &["Districts", "Number of districts"],
                Kind::Counts {
                    range: even(2, 15, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("districts", HAS)],
                },
            ),
        ],
    },
    Domain {
        name: "election",
        keys: &[
            key("Candidate", "candidate", "candidates"),
            key("Name of candidate", "candidate", "candidates"),
        ],
        names: Names::Person,
        tense: Tense::Past,
        columns: &[
            column(
                &["Party", "Political party"],
                Kind::Group {
                    values: Values::Words(&["Civic Union", "Green", "Labour", "Liberal", "Reform"]),
                    phrase: "of the {} party",
                },
            ),
            column(
                &["Votes", "Votes received"],
                Kind::Counts {
                    range: skewed(1_150, 68_000, 3),
                    formats: &[Format::Commas],
                    counted: &[counted("votes", past("received", "receive"))],
                },
            ),
            column(
                &["Vote share", "Share of the vote"],
                percent(8, 615, "largest", "smallest", "larger"),
            ),
            column(
                &["District", "Constituency"],
                Kind::Group {
                    values: Values::Names(Names::Town),
                    phrase: "in {}",
                },
            ),
            column(
                &["Age", "Age at election"],
                Kind::Amount(Amount {
                    range: even(26, 77, 1),
                    formats: &[Format::Plain],
                    unit: "",
                    most: "highest",
                    least: "lowest",
                    more: "higher",
                    rows: Some(("oldest", "youngest")),
                    adds_up: false,
                }),
            ),
            column(
                &["Spending", "Campaign spending"],
                Kind::Amount(Amount {
                    range: skewed(11, 96, 1),
                    formats: &[Format::Millions],
                    unit: "",
                    most: "highest",
                    least: "lowest",
                    more: "higher",
                    rows: None,
                    adds_up: true,
                }),
            ),
        ],
    },
    Domain {
        name: "bridges",
        keys: &[
            key("Bridge", "bridge", "bridges"),
            key("Name of bridge", "bridge", "bridges"),
        ],
        names: Names::Bridge,
        tense: Tense::Present,
        columns: &[
            column(
                &["River", "River crossed"],
                Kind::Group {
                    values: Values::Names(Names::River),
                    phrase: "over the {}",
                },
            ),
            column(
                &["Length (m)", "Bridge length (m)"],
                Kind::Amount(Amount {
                    range: skewed(85, 3_950, 1),
                    formats: &[Format::Commas, Format::Plain],
                    unit: " m",
                    most: "greatest",
                    least: "shortest",
                    more: "greater",
                    rows: Some(("longest", "shortest")),
                    adds_up: true,
                }),
            ),
            column(
                &["Opened", "Date opened"],
                Kind::Time {
                    done: "opened",
                    years: (1851, 2009),
                    form: TimeForm::Date,
                },
            ),
            column(
                &["Type", "Bridge type"],
                Kind::Group {
                    values: Values::Words(&["Arch", "Beam", "Cable", "Suspension", "Truss"]),
                    phrase: "of the type {}",
                },
            ),
            column(
                &["Lanes", "Traffic lanes"],
                Kind::Counts {
                    range: even(2, 8, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("lanes", HAS)],
                },
            ),
            column(&["Engineer", "Chief engineer"], Kind::Detail(Names::Person)),
        ],
    },
];

const fn percent(low: i64, high: i64, most: &'static str, least: &'static str, more: &'static str) -> Kind {
    Kind::Amount(Amount {
        range: even(low, high, 1),
        formats: &[Format::Percent],
        unit: "",
        most,
        least,
        more,
        rows: None,
        adds_up: false,
    })
}
