//! The largest and the smallest of a column. Dates that know different parts have no total order: there it
//! takes tables of their own.

use super::{PARTS, Select, dates};
use crate::order::Extreme;
use crate::sql_table::{DateColumns, Reading};
use mapo_tables::{ColumnId, ColumnKind};

impl Select<'_> {
    /// The condition that a row has the largest or smallest value.
    pub fn is_most(&mut self, column: ColumnId, extreme: Extreme) -> String {
        let (key, source) = (self.key(column), self.source());
        match self.layout.reading(column) {
            Reading::Date(_) if self.has_mixed_dates(column) => {
                self.rank_dates(column, extreme);
                self.is_best(&key, column, extreme)
            }
            Reading::Date(date) => {
                let (present, order) = (self.present(column), self.date_order(date, column, extreme));
                format!("{key} = (SELECT {key} FROM {source}{present}{order} LIMIT 1)")
            }
            _ => format!("{key} = (SELECT {}({key}) FROM {source})", aggregate(extreme)),
        }
    }

    /// The largest or smallest value: under the names that later steps use, or alone.
    pub fn most(&mut self, column: ColumnId, extreme: Extreme, named: bool) -> String {
        let (key, source) = (self.key(column), self.source());
        match self.layout.reading(column) {
            Reading::Date(_) if self.has_mixed_dates(column) => {
                self.rank_dates(column, extreme);
                self.best_date(column, extreme, if named { "*" } else { "value" })
            }
            Reading::Date(date) => {
                let select = if named { self.named_values(column) } else { key };
                let (present, order) = (self.present(column), self.date_order(date, column, extreme));
                format!("SELECT {select} FROM {source}{present}{order} LIMIT 1")
            }
            _ => {
                let value = if named { " AS value" } else { "" };
                format!("SELECT {}({key}){value} FROM {source}", aggregate(extreme))
            }
        }
    }

    /// What rows are ordered by so that the largest or smallest values come first, of dates an unknown part
    /// before every known one.
    pub fn ranking(&self, column: ColumnId, extreme: Extreme) -> String {
        match self.layout.reading(column) {
            Reading::Date(date) => {
                let [year, month, day] = &date.parts;
                order_by([year, month, day], extreme)
            }
            _ => format!("{}{}", self.key(column), direction(extreme)),
        }
    }

    /// What rows are grouped by so that such an order is one of the groups.
    pub fn ranked_by(&self, column: ColumnId) -> String {
        match self.layout.reading(column) {
            Reading::Date(date) => format!("{}, {}", date.written, date.parts.join(", ")),
            _ => self.key(column),
        }
    }

    /// Whether the column's dates know different parts, so that their order is not total.
    fn has_mixed_dates(&self, column: ColumnId) -> bool {
        let typed = self.table.column(column);
        typed.kind() == ColumnKind::Date && dates::common_parts(typed).is_none()
    }

    /// Adds the tables of the dates among the given rows, and of those that no other beats.
    fn rank_dates(&mut self, column: ColumnId, extreme: Extreme) {
        let (source, step) = (self.source(), self.call.step);
        let (select, present) = (self.named_values(column), self.present(column));
        self.before.push(format!(
            "v{step}_dates AS (\n  SELECT DISTINCT {select} FROM {source}{present}\n)"
        ));
        let better = match extreme {
            Extreme::Largest => ">",
            Extreme::Smallest => "<",
        };
        let of = |table: &str| PARTS.map(|part| format!("{table}.{part}"));
        let order = dates::order(&of("b"), &of("a"));
        self.before.push(format!(
            "v{step}_best AS (\n  SELECT * FROM v{step}_dates AS a WHERE NOT EXISTS \
             (SELECT 1 FROM v{step}_dates AS b WHERE {order} {better} 0)\n)"
        ));
    }

    /// The condition that a date, as it is written, is among those that nothing beats. Dates that know
    /// different parts can beat each other in a circle: then the best is the one whose year, or else
    /// month, or else day is.
    fn is_best(&self, date: &str, column: ColumnId, extreme: Extreme) -> String {
        let step = self.call.step;
        let unbeaten = format!("{date} IN (SELECT value FROM v{step}_best)");
        if dates::are_nested(self.table.column(column)) {
            return unbeaten;
        }
        let order = whole_order(extreme);
        format!(
            "({unbeaten} OR (NOT EXISTS (SELECT 1 FROM v{step}_best) \
             AND {date} = (SELECT value FROM v{step}_dates ORDER BY {order} LIMIT 1)))"
        )
    }

    /// Of the dates that nothing beats the one that says most.
    fn best_date(&self, column: ColumnId, extreme: Extreme, columns: &str) -> String {
        let step = self.call.step;
        let unknown = |part| format!("CASE WHEN {part} IS NULL THEN 1 ELSE 0 END");
        let (unknown, order) = (PARTS.map(unknown).join(" + "), whole_order(extreme));
        let best = match dates::are_nested(self.table.column(column)) {
            true => format!("v{step}_best"),
            false => {
                let best = self.is_best("value", column, extreme);
                format!("v{step}_dates WHERE {best}")
            }
        };
        format!("SELECT {columns} FROM {best} ORDER BY {unknown}, {order} LIMIT 1")
    }

    /// ` ORDER BY` the parts of a date that all dates of the column know.
    fn date_order(&self, date: &DateColumns, column: ColumnId, extreme: Extreme) -> String {
        let known = dates::common_parts(self.table.column(column)).unwrap_or([true; 3]);
        let parts = date.parts.iter().zip(known).filter(|(_, known)| *known);
        let parts = parts.map(|(name, _)| format!("{name}{}", direction(extreme)));
        format!(" ORDER BY {}", parts.collect::<Vec<_>>().join(", "))
    }
}

fn direction(extreme: Extreme) -> &'static str {
    match extreme {
        Extreme::Largest => " DESC",
        Extreme::Smallest => "",
    }
}

fn aggregate(extreme: Extreme) -> &'static str {
    match extreme {
        Extreme::Largest => "max",
        Extreme::Smallest => "min",
    }
}

/// An order of all dates, unknown parts first.
fn whole_order(extreme: Extreme) -> String {
    order_by(["year", "month", "day"], extreme)
}

fn order_by([year, month, day]: [&str; 3], extreme: Extreme) -> String {
    let direction = direction(extreme);
    format!(
        "COALESCE({year}, -3000000000){direction}, COALESCE({month}, 0){direction}, COALESCE({day}, 0){direction}"
    )
}
