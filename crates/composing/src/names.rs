//! Invented names, put together from word lists.

use crate::choices::Choices;

/// What is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each says what it is
pub enum Names {
    Town,
    Nation,
    Person,
    Club,
    Squad,
    Title,
    Ship,
    Mountain,
    Range,
    Bird,
    River,
    Bridge,
    Mission,
    Station,
    Museum,
    Company,
    Stadium,
}

type Words = &'static [&'static str];

const STEMS: Words = &[
    "Al", "Ash", "Bren", "Cald", "Cor", "Dun", "El", "Far", "Gar", "Hol", "Inver", "Jar", "Kel", "Lang",
    "Mal", "Nor", "Os", "Pel", "Quen", "Ros", "Sel", "Tarn", "Ulver", "Ver", "Wex", "Yar", "Zel",
];
const TOWN_ENDINGS: Words = &[
    "bury", "combe", "dale", "don", "field", "ford", "gate", "ham", "haven", "mere", "mouth", "ton", "wick",
    "worth",
];
const NATION_STEMS: Words = &[
    "Alt", "Bel", "Card", "Dor", "Est", "Fal", "Gor", "Hest", "Istr", "Jov", "Kast", "Lir", "Mar", "Nov",
    "Ost", "Pal", "Rav", "Sard", "Tal", "Urs", "Vald", "Wend", "Yst", "Zam",
];
const NATION_ENDINGS: Words = &["ania", "avia", "eria", "estan", "onia", "ovia", "una"];
const GIVEN: Words = &[
    "Ada", "Anton", "Bella", "Boris", "Clara", "Conrad", "Dora", "Edgar", "Elsa", "Felix", "Greta", "Hugo",
    "Ines", "Ivan", "Jana", "Klaus", "Lena", "Lucas", "Mara", "Nils", "Olga", "Oscar", "Paula", "Rafael",
    "Rosa", "Silas", "Tara", "Victor", "Wilma", "Yusuf",
];
const SURNAMES: Words = &[
    "Abernel",
    "Bastow",
    "Brandeck",
    "Calloran",
    "Castane",
    "Dellmar",
    "Drovin",
    "Ebberly",
    "Falkner",
    "Garrity",
    "Hallberg",
    "Holmquist",
    "Ivarsen",
    "Jorgen",
    "Kavanel",
    "Kestrin",
    "Lindahl",
    "Lomax",
    "Marchetti",
    "Morrow",
    "Nakano",
    "Norwell",
    "Okafor",
    "Osterman",
    "Pellier",
    "Quimby",
    "Ramsdell",
    "Rostov",
    "Santoro",
    "Sorrell",
    "Tamura",
    "Thorvald",
    "Ullman",
    "Varga",
    "Vickery",
    "Wendell",
    "Winslow",
    "Yarrow",
    "Zeller",
    "Zubiri",
];
const CLUB_ENDINGS: Words = &[
    "Albion",
    "Athletic",
    "City",
    "Rangers",
    "Rovers",
    "Town",
    "United",
    "Wanderers",
];
const NICKNAMES: Words = &[
    "Badgers", "Comets", "Falcons", "Giants", "Hornets", "Jets", "Knights", "Lynx", "Pirates", "Rockets",
    "Sharks", "Wolves",
];
const MOODS: Words = &[
    "Amber",
    "Broken",
    "Burning",
    "Crimson",
    "Distant",
    "Empty",
    "Frozen",
    "Golden",
    "Hidden",
    "Hollow",
    "Midnight",
    "Paper",
    "Quiet",
    "Restless",
    "Scarlet",
    "Secret",
    "Silent",
    "Silver",
    "Stolen",
    "Velvet",
    "Wandering",
    "Wild",
];
const THINGS: Words = &[
    "Arrow", "Autumn", "Candle", "Compass", "Dream", "Echo", "Feather", "Garden", "Harbour", "Horizon",
    "Island", "Journey", "Kingdom", "Lantern", "Letter", "Mirror", "Orchard", "Promise", "Railway", "River",
    "Shadow", "Skyline", "Storm", "Summer", "Thunder", "Valley", "Window", "Winter",
];
const MATTERS: Words = &[
    "Ashes", "Clay", "Dust", "Glass", "Ice", "Iron", "Ivory", "Pearls", "Rust", "Salt", "Sand", "Smoke",
    "Stone",
];
const SHIP_ADJECTIVES: Words = &[
    "Atlantic", "Bold", "Brave", "Eastern", "Northern", "Ocean", "Polar", "Proud", "Royal", "Southern",
    "Swift", "Western",
];
const SHIP_NOUNS: Words = &[
    "Albatross",
    "Challenger",
    "Dolphin",
    "Dragon",
    "Eagle",
    "Empress",
    "Hunter",
    "Mariner",
    "Monarch",
    "Pearl",
    "Petrel",
    "Queen",
    "Spirit",
    "Star",
    "Trader",
    "Voyager",
];
const PEAK_STEMS: Words = &[
    "Arven", "Barral", "Cresten", "Dorvan", "Ferrin", "Galdor", "Hirsk", "Jorund", "Karsten", "Lorrick",
    "Morven", "Narvik", "Orrin", "Porthos", "Ravnir", "Skarn", "Torvald", "Ulrik", "Vandor", "Wyvern",
];
const RANGE_WORDS: Words = &[
    "Amber", "Bishop", "Copper", "Eagle", "Granite", "Marble", "Raven", "Silver", "Thorn", "Wolf",
];
const BIRD_LOOKS: Words = &[
    "Banded", "Barred", "Black", "Coastal", "Collared", "Crested", "Dusky", "Forest", "Grey", "Hooded",
    "Marsh", "Mottled", "Pale", "Ringed", "Rufous", "Spotted", "Striped", "Tufted",
];
const BIRDS: Words = &[
    "Bunting", "Crake", "Dove", "Finch", "Heron", "Lark", "Owl", "Plover", "Robin", "Shrike", "Sparrow",
    "Swallow", "Tern", "Thrush", "Warbler", "Wren",
];
const RIVERS: Words = &[
    "Aldane", "Brook", "Cairn", "Derrow", "Esk", "Fennel", "Garonda", "Hesper", "Ister", "Kerran", "Lune",
    "Medwin", "Nethe", "Orne", "Rill", "Severin", "Tamble", "Wharle",
];
const HEAVENS: Words = &[
    "Altair", "Aurora", "Cygnus", "Helios", "Lyra", "Meridian", "Orion", "Pegasus", "Selene", "Vega",
    "Zenith",
];
const CRAFTS: Words = &[
    "Explorer",
    "Horizon",
    "Messenger",
    "Observer",
    "Orbiter",
    "Pathfinder",
    "Pioneer",
    "Ranger",
    "Surveyor",
];
const STATION_ENDINGS: Words = &["Central", "Junction", "Market", "Park", "Road", "Square"];
const COLLECTIONS: Words = &[
    "Art", "Clock", "Folk", "Glass", "Maritime", "Railway", "Science", "Textile", "Toy",
];
const TRADES: Words = &[
    "Brothers",
    "Company",
    "Group",
    "House",
    "Industries",
    "Partners",
    "Works",
];
const GROUNDS: Words = &["Arena", "Ground", "Lane", "Park", "Stadium"];

/// How a name is put together: one word of each list, with what stands between them.
type Pattern = &'static [(&'static str, Words)];

impl Names {
    /// All kinds of names.
    pub const ALL: [Names; 17] = [
        Names::Town,
        Names::Nation,
        Names::Person,
        Names::Club,
        Names::Squad,
        Names::Title,
        Names::Ship,
        Names::Mountain,
        Names::Range,
        Names::Bird,
        Names::River,
        Names::Bridge,
        Names::Mission,
        Names::Station,
        Names::Museum,
        Names::Company,
        Names::Stadium,
    ];

    fn patterns(self) -> &'static [Pattern] {
        match self {
            Names::Town => &[&[("", STEMS), ("", TOWN_ENDINGS)]],
            Names::Nation => &[&[("", NATION_STEMS), ("", NATION_ENDINGS)]],
            Names::Person => &[&[("", GIVEN), (" ", SURNAMES)]],
            Names::Club => &[&[("", STEMS), ("", TOWN_ENDINGS), (" ", CLUB_ENDINGS)]],
            Names::Squad => &[&[("", STEMS), ("", TOWN_ENDINGS), (" ", NICKNAMES)]],
            Names::Title => &[
                &[("", MOODS), (" ", THINGS)],
                &[("", THINGS), (" of ", MATTERS)],
                &[("", THINGS), (" in ", STEMS), ("", TOWN_ENDINGS)],
            ],
            Names::Ship => &[
                &[("", SHIP_ADJECTIVES), (" ", SHIP_NOUNS)],
                &[("", MOODS), (" ", SHIP_NOUNS)],
            ],
            Names::Mountain => &[
                &[("Mount ", PEAK_STEMS)],
                &[("", PEAK_STEMS), (" ", &["Crag", "Horn", "Peak", "Tooth"])],
            ],
            Names::Range => &[&[("", RANGE_WORDS), (" ", &["Alps", "Hills", "Range"])]],
            Names::Bird => &[&[("", BIRD_LOOKS), (" ", BIRDS)]],
            Names::River => &[
                &[("River ", RIVERS)],
                &[("", PEAK_STEMS), (" ", &["Creek", "River"])],
            ],
            Names::Bridge => &[
                &[
                    ("", STEMS),
                    ("", TOWN_ENDINGS),
                    (" ", &["Bridge", "Crossing", "Viaduct"]),
                ],
                &[("", SURNAMES), (" ", &["Bridge", "Viaduct"])],
            ],
            Names::Mission => &[&[("", HEAVENS), (" ", CRAFTS)]],
            Names::Station => &[&[("", STEMS), ("", TOWN_ENDINGS), (" ", STATION_ENDINGS)]],
            Names::Museum => &[&[
                ("", STEMS),
                ("", TOWN_ENDINGS),
                (" ", COLLECTIONS),
                (" ", &["Gallery", "Museum"]),
            ]],
            Names::Company => &[&[("", SURNAMES), (" ", TRADES)]],
            Names::Stadium => &[
                &[("", SURNAMES), (" ", GROUNDS)],
                &[("", STEMS), ("", TOWN_ENDINGS), (" ", GROUNDS)],
            ],
        }
    }

    /// Names that are all different, none within another, of those that are wanted.
    pub fn draw(
        self,
        count: usize,
        wanted: &mut dyn FnMut(&str) -> bool,
        choices: &mut Choices,
    ) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(count);
        // The lists hold many times what any table needs; the bound only keeps a short list from looping.
        for _ in 0..count * 200 {
            if names.len() == count {
                break;
            }
            let pattern = choices.pick(self.patterns()).copied().unwrap_or_default();
            let words = pattern.iter().map(|(between, words)| {
                let word = choices.pick(words).copied().unwrap_or_default();
                [*between, word].concat()
            });
            let name: String = words.collect();
            if wanted(&name) && !names.iter().any(|other| overlap(other, &name)) {
                names.push(name);
            }
        }
        names
    }
}

/// Whether one of two names contains the other.
pub fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    a.contains(&b) || b.contains(&a)
}
