//! One process's part in a run: training, with everything kept in the run's directory.

use std::sync::atomic::AtomicBool;

use crate::run::folder::Folder;
use crate::run::{Event, Trainer};
use crate::settings::Settings;
use crate::{Error, Result};

/// Trains to the last step, or until `stop` says so, and keeps in `folder` what is measured, the best model
/// and what the run needs to go on. `observe` hears of every step and, when it has been kept, of every
/// evaluation.
///
/// # Errors
/// Those of the network, those of the directory, and a number that is not finite: then the batch that caused
/// it is kept too and the error names its file.
pub fn train(
    folder: &mut Folder,
    trainer: &mut Trainer<'_>,
    settings: &Settings,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(&Event<'_>) -> Result<()>,
) -> Result<()> {
    let ran = trainer.run(stop, &mut |event| {
        if let Event::Measured {
            trainer,
            metrics,
            is_best,
        } = event
        {
            folder.measured(metrics)?;
            if let (true, Some(best)) = (*is_best, trainer.best()) {
                folder.save_best(best)?;
            }
            // Only there do the actors' parameters equal the learner's.
            if trainer.step().is_multiple_of(settings.refresh) {
                folder.save(trainer)?;
            }
        }
        observe(event)
    });
    let Err(error) = ran else {
        return folder.save(trainer);
    };
    let is_numeric = matches!(
        error,
        Error::Loss { .. } | Error::Network(mapo_programmer::Error::Gradient(_))
    );
    let step = trainer.step();
    match trainer.broken_batch().filter(|_| is_numeric) {
        Some(batch) => {
            let file = folder.save_batch(step, batch)?;
            let source = Box::new(error);
            Err(Error::Broken { source, step, file })
        }
        None => Err(error),
    }
}
