//! Values as JSON and in the like: texts and dates as text, numbers without a decimal point where they are
//! whole.

use crate::Value;
use serde::{Serialize, Serializer};

/// 2^53: every whole number below is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) => out.serialize_str(text),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < EXACT => {
                out.serialize_i64(*number as i64)
            }
            Value::Number(number) => out.serialize_f64(*number),
            Value::Date(date) => out.collect_str(date),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_decimal_point() {
        let text = |number: f64| serde_json::to_string(&Value::Number(number)).unwrap();
        assert_eq!([5.0, -0.0, 2.5, 1e300].map(text), ["5", "0", "2.5", "1e+300"]);
        assert_eq!(serde_json::to_string(&Value::Text("5")).unwrap(), "\"5\"");
    }
}
