//! What a column holds in one kind of invented table, where that is not what it holds elsewhere: the height of
//! a tower is not that of a player, and the type of a hotel not that of a ship.

/// Values of a column of texts, by the domain's rows and the header.
const VALUES: &[(&str, &str, &[&str])] = &[
    (
        "houses",
        "type",
        &["bungalow", "cottage", "duplex", "townhouse", "villa"],
    ),
    (
        "hotels",
        "style",
        &["boutique", "budget", "business", "luxury", "spa"],
    ),
    (
        "products",
        "category",
        &[
            "clothing",
            "electronics",
            "furniture",
            "garden",
            "kitchen",
            "sports",
            "toys",
        ],
    ),
    (
        "dishes",
        "category",
        &[
            "breakfast",
            "burgers",
            "desserts",
            "drinks",
            "pasta",
            "salads",
            "sides",
        ],
    ),
    ("schools", "type", &["charter", "private", "public"]),
    (
        "companies",
        "category",
        &[
            "banking",
            "energy",
            "food",
            "insurance",
            "retail",
            "software",
            "transport",
        ],
    ),
    ("stations", "type", &["bus", "metro", "rail", "tram"]),
    (
        "ships",
        "type",
        &[
            "cargo ship",
            "cruise ship",
            "ferry",
            "sailing ship",
            "tanker",
            "tug",
        ],
    ),
    ("ships", "status", &["active", "docked", "lost", "scrapped"]),
    ("bridges", "type", &["arch", "beam", "cable stayed", "suspension"]),
    ("towers", "type", &["hotel", "mixed use", "office", "residential"]),
    (
        "orders",
        "category",
        &[
            "books",
            "clothing",
            "electronics",
            "furniture",
            "groceries",
            "toys",
        ],
    ),
    ("orders", "segment", &["consumer", "corporate", "home office"]),
    ("customers", "segment", &["consumer", "corporate", "home office"]),
    ("donations", "segment", &["company", "foundation", "private"]),
    (
        "donations",
        "reason",
        &[
            "anniversary",
            "campaign",
            "disaster relief",
            "emergency",
            "in memory",
        ],
    ),
    (
        "sales",
        "product category",
        &[
            "books",
            "clothing",
            "electronics",
            "furniture",
            "groceries",
            "toys",
        ],
    ),
    (
        "tickets",
        "category",
        &["access", "billing", "hardware", "network", "software"],
    ),
    (
        "tickets",
        "reason",
        &[
            "broken device",
            "lost password",
            "new account",
            "slow network",
            "wrong bill",
        ],
    ),
    ("tickets", "status", &["closed", "open", "pending", "resolved"]),
    ("employees", "status", &["active", "on leave", "retired"]),
    (
        "patients",
        "status",
        &["admitted", "discharged", "recovering", "stable"],
    ),
    ("candidates", "result", &["elected", "lost", "runoff"]),
    ("missions", "outcome", &["failure", "partial success", "success"]),
    (
        "flights",
        "status",
        &["boarding", "cancelled", "delayed", "landed", "on time"],
    ),
    (
        "apartments",
        "condition",
        &["furnished", "new", "old", "renovated"],
    ),
    ("birds", "diet", &["fish", "fruit", "insects", "nectar", "seeds"]),
    (
        "museums",
        "topic",
        &["art", "history", "maritime", "nature", "science", "transport"],
    ),
    ("courses", "level", &["advanced", "beginner", "intermediate"]),
];

/// The least, the most and the decimals of a column of numbers.
const RANGES: &[(&str, &str, (f64, f64, u8))] = &[
    ("books", "price", (4.0, 60.0, 2)),
    ("books", "weight", (0.1, 2.4, 2)),
    ("songs", "duration", (1.5, 9.5, 1)),
    ("songs", "price", (0.5, 3.0, 2)),
    ("students", "age", (16.0, 29.0, 0)),
    ("students", "birth year", (1995.0, 2009.0, 0)),
    ("students", "credits", (0.0, 180.0, 0)),
    ("employees", "age", (18.0, 66.0, 0)),
    ("employees", "hire date", (1995.0, 2024.0, 0)),
    ("employees", "hours per week", (10.0, 48.0, 0)),
    ("players", "age", (17.0, 39.0, 0)),
    ("players", "date of birth", (1983.0, 2006.0, 0)),
    ("athletes", "age", (16.0, 41.0, 0)),
    ("athletes", "date of birth", (1983.0, 2007.0, 0)),
    ("athletes", "gold", (0.0, 9.0, 0)),
    ("athletes", "medals", (0.0, 25.0, 0)),
    ("customers", "joined", (2005.0, 2024.0, 0)),
    ("candidates", "percentage", (0.5, 62.0, 1)),
    ("countries", "gold", (0.0, 46.0, 0)),
    ("houses", "price", (70_000.0, 1_900_000.0, 0)),
    ("houses", "floors", (1.0, 4.0, 0)),
    ("apartments", "floor", (0.0, 14.0, 0)),
    ("apartments", "area", (22.0, 180.0, 0)),
    ("apartments", "deposit", (300.0, 4_000.0, 0)),
    ("apartments", "rooms", (1.0, 6.0, 0)),
    ("hotels", "rooms", (8.0, 420.0, 0)),
    ("hotels", "price", (35.0, 480.0, 0)),
    ("hotels", "stars", (1.0, 5.0, 0)),
    ("hotels", "distance", (0.1, 24.0, 1)),
    ("restaurants", "price", (8.0, 90.0, 0)),
    ("restaurants", "distance", (0.1, 12.0, 1)),
    ("restaurants", "seats", (12.0, 220.0, 0)),
    ("restaurants", "employees", (3.0, 60.0, 0)),
    ("cars", "price", (6_000.0, 140_000.0, 0)),
    ("cars", "weight", (820.0, 2_600.0, 0)),
    ("cars", "doors", (2.0, 5.0, 0)),
    ("cars", "cylinders", (3.0, 12.0, 0)),
    ("cars", "hp", (60.0, 620.0, 0)),
    ("cars", "mpg", (14.0, 58.0, 0)),
    ("cars", "top speed", (140.0, 330.0, 0)),
    ("cars", "model year", (1998.0, 2024.0, 0)),
    ("cars", "mileage", (1_200.0, 240_000.0, 0)),
    ("products", "weight", (0.1, 24.0, 1)),
    ("dishes", "price", (3.0, 28.0, 2)),
    ("recipes", "price", (2.0, 30.0, 2)),
    ("museums", "area", (300.0, 24_000.0, 0)),
    ("museums", "employees", (4.0, 260.0, 0)),
    ("mountains", "height", (640.0, 7_900.0, 0)),
    ("rivers", "length", (18.0, 3_900.0, 0)),
    ("rivers", "width", (12.0, 900.0, 0)),
    ("rivers", "depth", (2.0, 90.0, 0)),
    ("ships", "length", (18.0, 360.0, 0)),
    ("ships", "weight", (300.0, 190_000.0, 0)),
    ("ships", "passengers", (20.0, 5_200.0, 0)),
    ("ships", "crew", (4.0, 1_400.0, 0)),
    ("ships", "speed", (8.0, 42.0, 0)),
    ("bridges", "length", (40.0, 4_800.0, 0)),
    ("bridges", "height", (8.0, 240.0, 0)),
    ("bridges", "cost", (1.0, 900.0, 0)),
    ("bridges", "lanes", (1.0, 8.0, 0)),
    ("towers", "height", (60.0, 640.0, 0)),
    ("towers", "floors", (12.0, 130.0, 0)),
    ("towers", "cost", (8.0, 1_900.0, 0)),
    ("schools", "score", (32.0, 98.0, 0)),
    ("schools", "students", (80.0, 2_400.0, 0)),
    ("schools", "teachers", (6.0, 150.0, 0)),
    ("days", "temperature", (-8.0, 36.0, 0)),
    ("days", "max temp", (-4.0, 41.0, 0)),
    ("cities", "temperature", (-4.0, 31.0, 0)),
    ("cities", "universities", (0.0, 18.0, 0)),
    ("games", "goals", (0.0, 9.0, 0)),
    ("flights", "price", (40.0, 1_400.0, 0)),
    ("flights", "passengers", (20.0, 420.0, 0)),
    ("flights", "distance", (180.0, 11_000.0, 0)),
    ("pets", "age", (1.0, 18.0, 0)),
    ("pets", "weight", (0.2, 60.0, 1)),
    ("pets", "price", (10.0, 2_400.0, 0)),
    ("birds", "wingspan", (12.0, 320.0, 0)),
    ("birds", "weight", (5.0, 12_000.0, 0)),
    ("birds", "length", (8.0, 180.0, 0)),
    ("birds", "speed", (12.0, 180.0, 0)),
    ("courses", "credits", (1.0, 12.0, 0)),
    ("courses", "students", (6.0, 240.0, 0)),
    ("courses", "duration", (45.0, 180.0, 0)),
    ("missions", "crew", (1.0, 9.0, 0)),
    ("missions", "duration", (3.0, 900.0, 0)),
    ("missions", "cost", (12.0, 2_400.0, 0)),
    ("earthquakes", "magnitude", (3.1, 9.1, 1)),
    ("donations", "donation", (5.0, 5_000.0, 0)),
];

/// What the column of a domain says, where that is its own.
pub(crate) fn values(rows: &str, header: &str) -> Option<&'static [&'static str]> {
    let found = VALUES
        .iter()
        .find(|(domain, column, _)| *domain == rows && *column == header);
    found.map(|(_, _, values)| *values)
}

/// What the column of a domain counts from and to, and its decimals, where that is its own.
pub(crate) fn range(rows: &str, header: &str) -> Option<(f64, f64, u8)> {
    let found = RANGES
        .iter()
        .find(|(domain, column, _)| *domain == rows && *column == header);
    found.map(|(_, _, range)| *range)
}

#[cfg(test)]
mod tests {
    use super::super::DOMAINS;
    use super::*;

    #[test]
    fn every_particular_is_of_a_column_that_its_domain_has() {
        let has = |rows: &str, header: &str| {
            DOMAINS
                .iter()
                .any(|domain| domain.rows.0 == rows && domain.columns.contains(&header))
        };
        for (rows, header) in VALUES
            .iter()
            .map(|(rows, header, _)| (rows, header))
            .chain(RANGES.iter().map(|(rows, header, _)| (rows, header)))
        {
            assert!(has(rows, header), "{rows}: {header}");
        }
    }
}
