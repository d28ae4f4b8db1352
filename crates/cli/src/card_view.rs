//! What cards of models say, in a line.

use mapo_model::Card;
use mapo_model::confidence::Calibration;

/// A model's card in a few words: what it was trained on, how long, and how good it was.
pub fn in_short(card: &Card) -> Option<String> {
    let parts = [
        card.data.clone(),
        card.step.map(|step| format!("step {step}")),
        card.dev_accuracy.map(|accuracy| {
            let split = card.dev_split.as_deref().unwrap_or("the dev split");
            let when = if card.before_packing {
                " before packing"
            } else {
                ""
            };
            format!("{:.2} % on {split}{when}", 100.0 * accuracy)
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A calibration in a line.
pub fn in_words(calibration: &Calibration) -> String {
    format!(
        "on {} answers to {}, sure from {:.0} %",
        calibration.answers,
        calibration.fitted_to,
        100.0 * calibration.threshold
    )
}
