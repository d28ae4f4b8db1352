//! Charts as SVG.

use mapo_training::study::Reliability;
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

/// A reliability diagram: the share of right answers in each bin of probability, before and after
/// calibration. Written by hand, for a browser's dark mode to reach its colours.
pub fn reliability(title: &str, before: &Reliability, after: &Reliability) -> String {
    const SIDE: f64 = 320.0;
    const LEFT: f64 = 64.0;
    const TOP: f64 = 44.0;
    let x = |share: f64| LEFT + SIDE * share;
    let y = |share: f64| TOP + SIDE * (1.0 - share);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 430\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <style>\n\
         .paper {{ fill: #ffffff }} .ink {{ fill: #1d1d1b }} .quiet {{ fill: #61605b }} .grid {{ stroke: #e6e5e0 }}\n\
         .even {{ stroke: #61605b; stroke-dasharray: 4 4 }} .before {{ fill: #d9551f; stroke: #d9551f }} .after {{ fill: #2a78d6; stroke: #2a78d6 }}\n\
         @media (prefers-color-scheme: dark) {{ .paper {{ fill: #1a1a19 }} .ink {{ fill: #f2f1ec }} .quiet {{ fill: #a9a79f }} .grid {{ stroke: #34332f }}\n\
         .even {{ stroke: #a9a79f }} .before {{ fill: #e8703a; stroke: #e8703a }} .after {{ fill: #4c96ea; stroke: #4c96ea }} }}\n\
         </style>\n\
         <rect class=\"paper\" width=\"620\" height=\"430\"/>\n\
         <text class=\"ink\" x=\"{LEFT}\" y=\"26\" font-size=\"15\">{}</text>\n",
        escaped(title)
    );
    for tenth in (0..=10).step_by(2) {
        let share = f64::from(tenth) / 10.0;
        let (across, up) = (x(share), y(share));
        svg += &format!(
            "<path class=\"grid\" d=\"M{LEFT} {up}H{}M{across} {TOP}V{}\"/>\n\
             <text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{} %</text>\n\
             <text class=\"quiet\" x=\"{across}\" y=\"{}\" text-anchor=\"middle\">{} %</text>\n",
            x(1.0),
            y(0.0),
            LEFT - 8.0,
            up + 4.0,
            tenth * 10,
            y(0.0) + 18.0,
            tenth * 10
        );
    }
    svg += &format!(
        "<path class=\"even\" fill=\"none\" d=\"M{} {}L{} {}\"/>\n\
         <text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">probability of the answer</text>\n\
         <text class=\"quiet\" transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">right</text>\n",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0),
        x(0.5),
        y(0.0) + 40.0,
        y(0.5)
    );
    for (place, (class, name, of)) in [("before", "before", before), ("after", "calibrated", after)]
        .into_iter()
        .enumerate()
    {
        let all = of.bins.iter().map(|bin| bin.answers).sum::<usize>().max(1) as f64;
        let mut path = String::new();
        for bin in &of.bins {
            let (Some(probability), Some(right)) = (bin.probability, bin.right) else {
                continue;
            };
            let (across, up) = (x(probability), y(right));
            path += &format!("{}{across:.1} {up:.1}", if path.is_empty() { "M" } else { "L" });
            // The area says how many answers there are.
            let radius = 2.5 + 14.0 * (bin.answers as f64 / all).sqrt();
            svg += &format!(
                "<circle class=\"{class}\" fill-opacity=\"0.35\" cx=\"{across:.1}\" cy=\"{up:.1}\" r=\"{radius:.1}\">\
                 <title>{} answers, {:.1} % right</title></circle>\n",
                bin.answers,
                100.0 * right
            );
        }
        let (across, up) = (x(1.0) + 28.0, TOP + 16.0 + 52.0 * place as f64);
        svg += &format!(
            "<path class=\"{class}\" style=\"fill: none\" stroke-width=\"2\" d=\"{path}\"/>\n\
             <circle class=\"{class}\" fill-opacity=\"0.35\" cx=\"{across}\" cy=\"{up}\" r=\"7\"/>\n\
             <text class=\"ink\" x=\"{}\" y=\"{}\">{name}</text>\n\
             <text class=\"quiet\" x=\"{}\" y=\"{}\">expected error {:.1} %</text>\n",
            across + 14.0,
            up + 4.0,
            across + 14.0,
            up + 22.0,
            100.0 * of.expected_error
        );
    }
    svg += "</svg>\n";
    svg
}

/// Text as XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
