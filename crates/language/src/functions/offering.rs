//! When functions are offered, where several are alike. Each of these is asked after every argument.

use crate::machine::{Arg, Machine, Relation};

pub(super) const PRESENT: &str = "some of the rows have a value in the column";
pub(super) const SEVERAL: &str = "there is more than one row";
pub(super) const SEVERAL_PRESENT: &str = "there is more than one row; some have a value in the column";

/// Whether some of the rows have a value in the column.
pub(super) fn present(machine: &Machine, args: &[Arg]) -> bool {
    match args {
        [rows, column] => machine.present(rows.rows(), column.column()),
        _ => true,
    }
}

/// Whether there is more than one row.
pub(super) fn several(machine: &Machine, args: &[Arg]) -> bool {
    machine.count(args[0].rows()) > 1
}

/// Whether there is more than one row, and some have a value in the column.
pub(super) fn several_present(machine: &Machine, args: &[Arg]) -> bool {
    match args {
        [_] => several(machine, args),
        _ => present(machine, args),
    }
}

/// Whether there is more than one row, and in some the column stands in the relation to the values.
pub(super) fn several_related(machine: &Machine, args: &[Arg], relation: Relation) -> bool {
    match args {
        [_] => several(machine, args),
        [rows, values, column] => machine.related(rows.rows(), values.values(), column.column(), relation),
        _ => true,
    }
}

/// Whether in all of the rows the column stands in the relation to the values.
pub(super) fn all_related(machine: &Machine, args: &[Arg], relation: Relation) -> bool {
    match args {
        [rows, values, column] => {
            machine.all_related(rows.rows(), values.values(), column.column(), relation)
        }
        _ => false,
    }
}
