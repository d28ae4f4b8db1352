//! Medals, leagues, matches and races.

use super::*;

pub(super) const DOMAINS: &[Domain] = &[
    Domain {
        name: "medals",
        keys: &[
            key("Nation", "nation", "nations"),
            key("Country", "country", "countries"),
            key("Team", "team", "teams"),
        ],
        names: Names::Nation,
        tense: Tense::Past,
        columns: &[
            column(&["Rank", "Place"], Kind::Rank),
            column(
                &["Gold", "Gold medals"],
                medals(&[counted("gold medals", past("won", "win"))]),
            ),
            column(
                &["Silver", "Silver medals"],
                medals(&[counted("silver medals", past("won", "win"))]),
            ),
            column(
                &["Bronze", "Bronze medals"],
                medals(&[counted("bronze medals", past("won", "win"))]),
            ),
            column(
                &["Athletes", "Number of athletes"],
                Kind::Counts {
                    range: even(8, 90, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("athletes", past("sent", "send"))],
                },
            ),
            column(
                &["Continent", "Region"],
                Kind::Group {
                    values: Values::Words(&["Africa", "Asia", "Europe", "Oceania", "South America"]),
                    phrase: "from {}",
                },
            ),
        ],
    },
    Domain {
        name: "league",
        keys: &[
            key("Club", "club", "clubs"),
            key("Team", "team", "teams"),
            key("Football club", "football club", "football clubs"),
        ],
        names: Names::Club,
        tense: Tense::Past,
        columns: &[
            column(&["Position", "Place"], Kind::Rank),
            column(
                &["Yellow cards", "Cards"],
                matches(&[counted("yellow cards", past("received", "receive"))]),
            ),
            column(
                &["Penalties", "Penalties won"],
                matches(&[counted("penalties", past("won", "win"))]),
            ),
            column(
                &["Goals", "Goals for and against"],
                Kind::Counts {
                    range: even(14, 75, 1),
                    formats: &[Format::Plain],
                    counted: &[
                        counted("goals", past("scored", "score")),
                        counted("goals", past("conceded", "concede")),
                    ],
                },
            ),
            column(
                &["Points", "League points"],
                Kind::Counts {
                    range: even(15, 88, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("points", past("earned", "earn"))],
                },
            ),
            column(
                &["Division", "League division"],
                Kind::Group {
                    values: Values::Words(&["Northern", "Southern", "Eastern", "Western"]),
                    phrase: "in the {} division",
                },
            ),
            column(&["Manager", "Head coach"], Kind::Detail(Names::Person)),
        ],
    },
    Domain {
        name: "matches",
        keys: &[
            key("Opponent", "opponent", "opponents"),
            key("Away team", "away team", "away teams"),
        ],
        names: Names::Club,
        tense: Tense::Past,
        columns: &[
            column(
                &["Date", "Match date"],
                Kind::Time {
                    done: "played",
                    years: (1978, 2019),
                    form: TimeForm::Season,
                },
            ),
            column(
                &["Score", "Final score"],
                Kind::Counts {
                    range: skewed(0, 6, 1),
                    formats: &[Format::Plain],
                    counted: &[
                        counted("goals", past("let in", "let in")),
                        counted("goals", past("scored", "score")),
                    ],
                },
            ),
            column(
                &["Attendance", "Match attendance"],
                Kind::Amount(Amount {
                    range: skewed(2_100, 48_000, 7),
                    formats: &[Format::Commas, Format::Plain],
                    unit: "",
                    most: "highest",
                    least: "lowest",
                    more: "higher",
                    rows: None,
                    adds_up: true,
                }),
            ),
            column(
                &["Competition", "Tournament"],
                Kind::Group {
                    values: Values::Words(&["League", "Cup", "Friendly", "Shield"]),
                    phrase: "played in the {}",
                },
            ),
            column(
                &["Venue", "Stadium"],
                Kind::Group {
                    values: Values::Names(Names::Stadium),
                    phrase: "played at {}",
                },
            ),
            column(&["Referee", "Match referee"], Kind::Detail(Names::Person)),
        ],
    },
    Domain {
        name: "basketball",
        keys: &[
            key("Team", "team", "teams"),
            key("Franchise", "franchise", "franchises"),
        ],
        names: Names::Squad,
        tense: Tense::Past,
        columns: &[
            column(
                &["Record", "Win–loss record"],
                Kind::Counts {
                    range: even(22, 49, 1),
                    formats: &[Format::Plain],
                    counted: &[
                        counted("games", past("won", "win")),
                        counted("games", past("lost", "lose")),
                    ],
                },
            ),
            column(
                &["Conference", "League conference"],
                Kind::Group {
                    values: Values::Words(&["Atlantic", "Central", "Coastal", "Pacific"]),
                    phrase: "in the {} conference",
                },
            ),
            column(&["Coach", "Head coach"], Kind::Detail(Names::Person)),
            column(
                &["Founded", "Year founded"],
                Kind::Time {
                    done: "founded",
                    years: (1921, 2004),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Attendance", "Home attendance"],
                Kind::Amount(Amount {
                    range: even(4_300, 19_800, 10),
                    formats: &[Format::Commas],
                    unit: "",
                    most: "highest",
                    least: "lowest",
                    more: "higher",
                    rows: None,
                    adds_up: false,
                }),
            ),
            column(
                &["Titles", "League titles"],
                Kind::Counts {
                    range: skewed(0, 14, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("titles", past("won", "win"))],
                },
            ),
        ],
    },
    Domain {
        name: "race",
        keys: &[
            key("Athlete", "athlete", "athletes"),
            key("Runner", "runner", "runners"),
            key("Name of runner", "runner", "runners"),
        ],
        names: Names::Person,
        tense: Tense::Past,
        columns: &[
            column(&["Lane", "Start number"], Kind::Rank),
            column(
                &["Nationality", "Country"],
                Kind::Group {
                    values: Values::Names(Names::Nation),
                    phrase: "from {}",
                },
            ),
            column(
                &["Time", "Finishing time"],
                Kind::Amount(Amount {
                    range: even(10_350, 12_990, 1),
                    formats: &[Format::Clock],
                    unit: "",
                    most: "slowest",
                    least: "fastest",
                    more: "slower",
                    rows: Some(("slowest", "fastest")),
                    adds_up: false,
                }),
            ),
            column(
                &["Year of birth", "Birth year"],
                Kind::Time {
                    done: "born",
                    years: (1971, 2001),
                    form: TimeForm::Year,
                },
            ),
            column(
                &["Races", "Career races"],
                Kind::Counts {
                    range: even(3, 40, 1),
                    formats: &[Format::Plain],
                    counted: &[counted("races", past("finished", "finish"))],
                },
            ),
            column(
                &["Prize", "Race prize"],
                Kind::Amount(Amount {
                    range: even(500, 9_500, 250),
                    formats: &[Format::Commas],
                    unit: " dollars",
                    most: "largest",
                    least: "smallest",
                    more: "larger",
                    rows: None,
                    adds_up: true,
                }),
            ),
            column(&["Training club", "Club"], Kind::Detail(Names::Club)),
        ],
    },
];

const fn medals(counted: &'static [Counted]) -> Kind {
    Kind::Counts {
        range: skewed(0, 19, 1),
        formats: &[Format::Plain],
        counted,
    }
}

const fn matches(counted: &'static [Counted]) -> Kind {
    Kind::Counts {
        range: even(2, 24, 1),
        formats: &[Format::Plain],
        counted,
    }
}
