//! The algorithm: systematic exploration, memory, objectives, actors and learner. Knows neither tables nor networks.
