//! Which questions a model may be adjusted by: those that it was not trained on.

use mapo_model::Card;

/// What a model's training did with a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// It learnt its questions.
    Trained,
    /// It was chosen by its questions.
    Chosen,
    /// Nothing that its card knows of.
    Not,
}

/// What the training of a model did with a split of a dataset of some kind.
pub fn used(card: &Card, kind: &str, split: &str) -> Used {
    let is_same = |data: &str| data.split(':').next() == Some(kind);
    // Of one dataset or several: what was trained on, and what was chosen by.
    let one = card.data.as_deref().is_none_or(is_same) && card.datasets.is_empty();
    let one = one.then_some((card.split.as_deref(), card.dev_split.as_deref()));
    let several = card.datasets.iter().filter(|trained| is_same(&trained.data));
    let several = several.map(|trained| (Some(trained.split.as_str()), trained.dev_split.as_deref()));
    let known: Vec<_> = one.into_iter().chain(several).collect();
    // `train-b` is a part of `train`, and of `training`.
    let within = |whole: &str| {
        split == whole
            || split
                .strip_prefix(whole)
                .is_some_and(|rest| matches!(rest, "-a" | "-b"))
    };
    let mut trained = known.iter().filter_map(|(trained, _)| *trained);
    if trained.any(|trained| within(trained) || trained == "training") {
        return Used::Trained;
    }
    match known.iter().any(|(_, dev)| *dev == Some(split)) {
        true => Used::Chosen,
        false => Used::Not,
    }
}
