//! Mountains and birds.

use super::*;

pub(super) const DOMAINS: &[Domain] = &[
    Domain {
        name: "mountains",
        keys: &[
            key("Mountain", "mountain", "mountains"),
            key("Peak", "peak", "peaks"),
            key("Mountain peak", "peak", "peaks"),
        ],
        names: Names::Mountain,
        tense: Tense::Present,
        columns: &[
            column(
                &["Height (m)", "Elevation (m)"],
                Kind::Amount(Amount {
                    range: even(2_105, 6_940, 1),
                    formats: &[Format::Commas, Format::Plain],
                    unit: " m",
                    most: "greatest",
                    least: "lowest",
                    more: "greater",
                    rows: Some(("highest", "lowest")),
                    adds_up: false,
                }),
            ),
            column(
                &["Range", "Mountain range"],
                Kind::Group {
                    values: Values::Names(Names::Range),
                    phrase: "in the {}",
                },
            ),
            column(
                &["Country", "Nation"],
                Kind::Group {
                    values: Values::Names(Names::Nation),
                    phrase: "in {}",
                },
            ),
            column(
                &["First ascent", "Year of first ascent"],
                Kind::Time {
                    done: "climbed",
                    years: (1841, 1979),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Routes", "Climbing routes"],
                Kind::Counts {
                    range: skewed(2, 22, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("routes", HAS)],
                },
            ),
            column(
                &["Deaths", "Climbing deaths"],
                Kind::Counts {
                    range: skewed(0, 41, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("deaths", HAS)],
                },
            ),
        ],
    },
    Domain {
        name: "birds",
        keys: &[
            key("Species", "species", "species"),
            key("Bird", "bird", "birds"),
            key("Common name", "bird", "birds"),
        ],
        names: Names::Bird,
        tense: Tense::Present,
        columns: &[
            column(
                &["Length (cm)", "Body length (cm)"],
                size(90, 790, " cm", Some(("longest", "shortest"))),
            ),
            column(
                &["Wingspan (cm)", "Wing span (cm)"],
                size(160, 1_450, " cm", None),
            ),
            column(
                &["Weight (g)", "Body weight (g)"],
                Kind::Amount(Amount {
                    range: skewed(9, 1_840, 1),
                    formats: &[Format::Plain, Format::Commas],
                    unit: " g",
                    most: "greatest",
                    least: "lowest",
                    more: "greater",
                    rows: Some(("heaviest", "lightest")),
                    adds_up: false,
                }),
            ),
            column(
                &["Habitat", "Main habitat"],
                Kind::Group {
                    values: Values::Words(&["Forest", "Grassland", "Coast", "Desert", "Wetland"]),
                    phrase: "with the habitat {}",
                },
            ),
            column(
                &["Status", "Conservation status"],
                Kind::Group {
                    values: Values::Words(&["Common", "Threatened", "Endangered", "Rare"]),
                    phrase: "with the status {}",
                },
            ),
            column(
                &["Eggs", "Number of eggs"],
                Kind::Counts {
                    range: even(2, 12, 1),
                    formats: &[Format::Plain],
                    counted: &[counted(
                        "eggs",
                        Verb {
                            one: "lays",
                            many: "lay",
                            base: "lay",
                            tense: Tense::Present,
                        },
                    )],
                },
            ),
            column(
                &["Described", "Year described"],
                Kind::Time {
                    done: "described",
                    years: (1758, 1931),
                    form: TimeForm::Year,
                },
            ),
        ],
    },
];

const fn size(low: i64, high: i64, unit: &'static str, rows: Option<(&'static str, &'static str)>) -> Kind {
    Kind::Amount(Amount {
        range: even(low, high, 5),
        formats: &[Format::Tenths],
        unit,
        most: "largest",
        least: "smallest",
        more: "larger",
        rows,
        adds_up: false,
    })
}
