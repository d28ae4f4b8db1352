//! Ships, spacecraft and railway stations.

use super::*;

pub(super) const DOMAINS: &[Domain] = &[
    Domain {
        name: "ships",
        keys: &[
            key("Ship", "ship", "ships"),
            key("Vessel", "vessel", "vessels"),
            key("Name of ship", "ship", "ships"),
        ],
        names: Names::Ship,
        tense: Tense::Past,
        columns: &[
            column(
                &["Type", "Ship type"],
                Kind::Group {
                    values: Values::Words(&["Cargo", "Cruiser", "Ferry", "Tanker", "Tug"]),
                    phrase: "of the type {}",
                },
            ),
            column(
                &["Launched", "Launch date"],
                Kind::Time {
                    done: "launched",
                    years: (1889, 1968),
                    form: TimeForm::Date,
                },
            ),
            column(
                &["Builder", "Shipyard"],
                Kind::Group {
                    values: Values::Names(Names::Company),
                    phrase: "built by {}",
                },
            ),
            column(
                &["Length (m)", "Overall length (m)"],
                Kind::Amount(Amount {
                    range: even(310, 2_950, 5),
                    formats: &[Format::Tenths],
                    unit: " m",
                    most: "greatest",
                    least: "shortest",
                    more: "greater",
                    rows: Some(("longest", "shortest")),
                    adds_up: false,
                }),
            ),
            column(
                &["Tonnage", "Gross tonnage"],
                Kind::Amount(Amount {
                    range: skewed(480, 58_000, 10),
                    formats: &[Format::Commas],
                    unit: " tons",
                    most: "largest",
                    least: "smallest",
                    more: "larger",
                    rows: None,
                    adds_up: true,
                }),
            ),
            column(
                &["Crew", "Crew members"],
                Kind::Counts {
                    range: skewed(9, 240, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("crew members", HAD)],
                },
            ),
            column(
                &["Home port", "Port"],
                Kind::Group {
                    values: Values::Names(Names::Town),
                    phrase: "based in {}",
                },
            ),
        ],
    },
    Domain {
        name: "missions",
        keys: &[
            key("Mission", "mission", "missions"),
            key("Spacecraft", "spacecraft", "spacecraft"),
            key("Mission name", "mission", "missions"),
        ],
        names: Names::Mission,
        tense: Tense::Past,
        columns: &[
            column(
                &["Launch date", "Launched"],
                Kind::Time {
                    done: "launched",
                    years: (1961, 2016),
                    form: TimeForm::Date,
                },
            ),
            column(
                &["Agency", "Space agency"],
                Kind::Group {
                    values: Values::Names(Names::Company),
                    phrase: "operated by {}",
                },
            ),
            column(
                &["Outcome", "Mission outcome"],
                Kind::Group {
                    values: Values::Words(&["Success", "Failure", "Partial"]),
                    phrase: "with the outcome {}",
                },
            ),
            column(
                &["Orbits", "Lunar orbits"],
                Kind::Counts {
                    range: skewed(2, 420, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("orbits", past("completed", "complete"))],
                },
            ),
            column(
                &["Mass (kg)", "Launch mass (kg)"],
                Kind::Amount(Amount {
                    range: skewed(310, 9_800, 5),
                    formats: &[Format::Commas],
                    unit: " kg",
                    most: "greatest",
                    least: "lowest",
                    more: "greater",
                    rows: Some(("heaviest", "lightest")),
                    adds_up: true,
                }),
            ),
            column(
                &["Duration", "Mission duration"],
                Kind::Amount(Amount {
                    range: skewed(3, 480, 1),
                    formats: &[Format::With(" days")],
                    unit: " days",
                    most: "longest",
                    least: "shortest",
                    more: "longer",
                    rows: Some(("longest", "shortest")),
                    adds_up: true,
                }),
            ),
        ],
    },
    Domain {
        name: "stations",
        keys: &[
            key("Station", "station", "stations"),
            key("Railway station", "railway station", "railway stations"),
        ],
        names: Names::Station,
        tense: Tense::Present,
        columns: &[
            column(
                &["Line", "Railway line"],
                Kind::Group {
                    values: Values::Words(&["Blue", "Green", "Orange", "Red", "Yellow"]),
                    phrase: "on the {} line",
                },
            ),
            column(
                &["Platforms", "Number of platforms"],
                Kind::Counts {
                    range: even(2, 14, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("platforms", HAS)],
                },
            ),
            column(
                &["Opened", "Opening year"],
                Kind::Time {
                    done: "opened",
                    years: (1836, 1994),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Daily passengers", "Passengers"],
                Kind::Counts {
                    range: skewed(250, 88_000, 50),
                    formats: &[Format::Commas],
                    counted: &[counted("passengers", HAS)],
                },
            ),
            column(
                &["Zone", "Fare zone"],
                Kind::Group {
                    values: Values::Words(&["Inner", "Middle", "Outer"]),
                    phrase: "in the {} zone",
                },
            ),
            column(
                &["Distance (km)", "Track distance (km)"],
                Kind::Amount(Amount {
                    range: even(12, 890, 1),
                    formats: &[Format::Tenths],
                    unit: " km",
                    most: "greatest",
                    least: "shortest",
                    more: "greater",
                    rows: None,
                    adds_up: false,
                }),
            ),
        ],
    },
];
