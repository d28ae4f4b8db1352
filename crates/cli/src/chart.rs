//! Charts as SVG.

use plotters::prelude::*;
use std::error::Error;

/// One line over a logarithmic axis of counts, from 0 to 100 %.
pub fn line(title: &str, x: &str, y: &str, points: &[(f64, f64)]) -> Result<String, Box<dyn Error>> {
    let last = points.last().map_or(10.0, |(x, _)| x.max(10.0));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (720, 420)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d((1f64..last).log_scale(), 0f64..100f64)?;
        chart
            .configure_mesh()
            .x_desc(x)
            .y_desc(y)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()?;
        let colour = RGBColor(31, 90, 166);
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        area.present()?;
    }
    Ok(svg)
}
