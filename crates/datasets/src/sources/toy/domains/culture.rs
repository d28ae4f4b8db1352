//! Films, albums, episodes, novels and museums.

use super::*;

pub(super) const DOMAINS: &[Domain] = &[
    Domain {
        name: "films",
        keys: &[
            key("Film", "film", "films"),
            key("Film title", "film", "films"),
            key("Movie", "movie", "movies"),
        ],
        names: Names::Title,
        tense: Tense::Past,
        columns: &[
            column(
                &["Year", "Release year"],
                Kind::Time {
                    done: "released",
                    years: (1962, 2018),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Director", "Film director"],
                Kind::Group {
                    values: Values::Names(Names::Person),
                    phrase: "directed by {}",
                },
            ),
            column(
                &["Genre", "Film genre"],
                Kind::Group {
                    values: Values::Words(&["Comedy", "Drama", "Horror", "Musical", "Thriller", "Western"]),
                    phrase: "of the genre {}",
                },
            ),
            column(&["Budget", "Production budget"], money(12, 980)),
            column(
                &["Running time", "Length"],
                minutes(&[Format::With(" min"), Format::With(" minutes")], 78, 171),
            ),
            column(
                &["Awards", "Awards won"],
                Kind::Counts {
                    range: skewed(0, 13, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("awards", past("won", "win"))],
                },
            ),
            column(&["Lead actor", "Main actor"], Kind::Detail(Names::Person)),
        ],
    },
    Domain {
        name: "albums",
        keys: &[
            key("Album", "album", "albums"),
            key("Album title", "album", "albums"),
            key("Record", "record", "records"),
        ],
        names: Names::Title,
        tense: Tense::Past,
        columns: &[
            column(
                &["Release date", "Released"],
                Kind::Time {
                    done: "released",
                    years: (1971, 2014),
                    form: TimeForm::Date,
                },
            ),
            column(
                &["Label", "Record label"],
                Kind::Group {
                    values: Values::Names(Names::Company),
                    phrase: "released by {}",
                },
            ),
            column(
                &["Sales", "Copies sold"],
                Kind::Counts {
                    range: skewed(12_000, 940_000, 1_000),
                    formats: &[Format::Commas],
                    counted: &[counted("copies", past("sold", "sell"))],
                },
            ),
            column(
                &["Weeks on chart", "Chart weeks"],
                Kind::Counts {
                    range: skewed(2, 58, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("weeks on the chart", past("spent", "spend"))],
                },
            ),
            column(
                &["Tracks", "Number of tracks"],
                Kind::Counts {
                    range: even(7, 17, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("tracks", HAD)],
                },
            ),
            column(
                &["Producer", "Main producer"],
                Kind::Group {
                    values: Values::Names(Names::Person),
                    phrase: "produced by {}",
                },
            ),
        ],
    },
    Domain {
        name: "episodes",
        keys: &[
            key("Episode", "episode", "episodes"),
            key("Episode title", "episode", "episodes"),
        ],
        names: Names::Title,
        tense: Tense::Past,
        columns: &[
            column(&["Number in season", "Episode number"], Kind::Rank),
            column(
                &["Air date", "Original air date"],
                Kind::Time {
                    done: "aired",
                    years: (1988, 2017),
                    form: TimeForm::Season,
                },
            ),
            column(
                &["Writer", "Episode writer"],
                Kind::Group {
                    values: Values::Names(Names::Person),
                    phrase: "written by {}",
                },
            ),
            column(
                &["Director", "Episode director"],
                Kind::Group {
                    values: Values::Names(Names::Person),
                    phrase: "directed by {}",
                },
            ),
            column(
                &["Audience (millions)", "TV audience (millions)"],
                Kind::Amount(Amount {
                    range: even(212, 996, 1),
                    formats: &[Format::Hundredths],
                    unit: "",
                    most: "largest",
                    least: "smallest",
                    more: "larger",
                    rows: None,
                    adds_up: false,
                }),
            ),
            column(
                &["Length", "Running time"],
                minutes(&[Format::With(" min")], 21, 64),
            ),
        ],
    },
    Domain {
        name: "novels",
        keys: &[
            key("Novel", "novel", "novels"),
            key("Book", "book", "books"),
            key("Book title", "book", "books"),
        ],
        names: Names::Title,
        tense: Tense::Present,
        columns: &[
            column(
                &["Author", "Book author"],
                Kind::Group {
                    values: Values::Names(Names::Person),
                    phrase: "written by {}",
                },
            ),
            column(
                &["Published", "Year published"],
                Kind::Time {
                    done: "published",
                    years: (1890, 2015),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Pages", "Number of pages"],
                Kind::Counts {
                    range: even(112, 870, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("pages", HAS)],
                },
            ),
            column(
                &["Publisher", "Publishing house"],
                Kind::Group {
                    values: Values::Names(Names::Company),
                    phrase: "published by {}",
                },
            ),
            column(
                &["Chapters", "Number of chapters"],
                Kind::Counts {
                    range: even(6, 48, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("chapters", HAS)],
                },
            ),
            column(
                &["Language", "Original language"],
                Kind::Group {
                    values: Values::Words(&["Danish", "English", "French", "Italian", "Spanish"]),
                    phrase: "written in {}",
                },
            ),
        ],
    },
    Domain {
        name: "museums",
        keys: &[
            key("Museum", "museum", "museums"),
            key("Name of museum", "museum", "museums"),
        ],
        names: Names::Museum,
        tense: Tense::Present,
        columns: &[
            column(
                &["City", "Location"],
                Kind::Group {
                    values: Values::Names(Names::Town),
                    phrase: "in {}",
                },
            ),
            column(
                &["Opened", "Year opened"],
                Kind::Time {
                    done: "opened",
                    years: (1821, 2012),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Visitors", "Yearly visitors"],
                Kind::Counts {
                    range: skewed(4_000, 890_000, 500),
                    formats: &[Format::Commas],
                    counted: &[counted("visitors", HAS)],
                },
            ),
            column(
                &["Rooms", "Number of rooms"],
                Kind::Counts {
                    range: even(4, 38, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("rooms", HAS)],
                },
            ),
            column(
                &["Ticket price", "Entry fee"],
                Kind::Amount(Amount {
                    range: even(2, 24, 1),
                    formats: &[Format::Plain],
                    unit: " dollars",
                    most: "highest",
                    least: "lowest",
                    more: "higher",
                    rows: None,
                    adds_up: false,
                }),
            ),
            column(&["Curator", "Head curator"], Kind::Detail(Names::Person)),
        ],
    },
];

const fn money(low: i64, high: i64) -> Kind {
    Kind::Amount(Amount {
        range: skewed(low, high, 1),
        formats: &[Format::Millions],
        unit: "",
        most: "largest",
        least: "smallest",
        more: "larger",
        rows: None,
        adds_up: true,
    })
}

const fn minutes(formats: &'static [Format], low: i64, high: i64) -> Kind {
    Kind::Amount(Amount {
        range: even(low, high, 1),
        formats,
        unit: " minutes",
        most: "longest",
        least: "shortest",
        more: "longer",
        rows: Some(("longest", "shortest")),
        adds_up: true,
    })
}
