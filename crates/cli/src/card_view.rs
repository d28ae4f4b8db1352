//! What cards of models say, in a line.

use mapo_model::Card;
use mapo_model::confidence::Calibration;
use mapo_model::file::TrainedOn;
use mapo_model::second_look::SecondLook;

/// A model's card in a few words: what it was trained on, how long, and how good it was.
pub fn in_short(card: &Card) -> Option<String> {
    let parts = [
        card.data.clone(),
        card.step.map(|step| format!("step {step}")),
        card.dev_accuracy.map(|accuracy| {
            let split = dev_splits(card);
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

/// The split that a model was chosen by, or what stands for it.
pub fn dev_splits(card: &Card) -> &str {
    let unsaid = match card.datasets.is_empty() {
        true => "the dev split",
        false => "the dev splits, by their weights",
    };
    card.dev_split.as_deref().unwrap_or(unsaid)
}

/// One of several datasets in a line: how much of it, how it was read, and how good the model was there.
pub fn dataset_in_words(trained: &TrainedOn) -> String {
    let reading = serde_json::to_value(trained.reading).unwrap_or_default();
    let switches = reading.as_object().into_iter().flatten();
    let switches = switches.filter_map(|(name, value)| Some(format!("{name} {}", value.as_str()?)));
    let first = |limit: Option<usize>| limit.map_or(String::new(), |limit| format!(" (the first {limit})"));
    let mut parts = vec![
        format!("{} {}{}", trained.name, trained.split, first(trained.limit)),
        format!("weight {}", trained.weight),
    ];
    parts.extend(switches);
    if let (Some(split), Some(accuracy)) = (&trained.dev_split, trained.dev_accuracy) {
        let limit = first(trained.dev_limit);
        parts.push(format!("{:.2} % on {split}{limit}", 100.0 * accuracy));
    }
    parts.join(", ")
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

/// A second look in a line.
pub fn look_in_words(look: &SecondLook) -> String {
    format!(
        "at beams, by {} signs, learnt from {} questions of {}",
        look.weights.len(),
        look.questions,
        look.fitted_to
    )
}
