//! Learning curves as SVG.
//!
//! A chart carries a light and a dark set of colours; whoever shows it takes the one that the reader
//! prefers. Programs that know nothing of that show the light one.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::results::Point;
use crate::{Error, Result};

/// Plotters draws on whole pixels; on a canvas this many times as large, curves are smooth.
const FINE: f64 = 8.0;

/// The colours of the first eight variants, in light and in dark; later ones have them again, dashed.
const SERIES: [(u32, u32); 8] = [
    (0x2A78D6, 0x4C96EA),
    (0xD9551F, 0xE8703A),
    (0x16956A, 0x24B381),
    (0xC98A00, 0xE0A526),
    (0x6A4FC4, 0x9C8CF0),
    (0xD4558A, 0xE77BAA),
    (0x5F7A1E, 0x9DB84A),
    (0x8A5A3C, 0xC08F6F),
];
const PAPER: (u32, u32) = (0xFFFFFF, 0x1A1A19);
const INK: (u32, u32) = (0x1D1D1B, 0xF2F1EC);
const QUIET: (u32, u32) = (0x61605B, 0xA9A79F);
const GRID: (u32, u32) = (0xE6E5E0, 0x34332F);

/// A curve of a variant: shares against steps.
pub struct Curve<'a> {
    /// The variant's name.
    pub name: &'a str,
    /// The variant's number, which gives it the same colour in every chart.
    pub number: usize,
    /// Its points.
    pub points: &'a [Point],
}

/// A part of a chart with its own axes.
pub struct Panel<'a> {
    /// What the vertical axis shows.
    pub title: &'a str,
    /// The curves.
    pub curves: Vec<Curve<'a>>,
    /// Whether the vertical axis may begin above 0.
    pub may_crop: bool,
}

/// Panels side by side over the same kind of steps, and a legend of the variants that they show.
///
/// # Errors
/// If it cannot be drawn.
pub fn chart(panels: &[Panel<'_>]) -> Result<String> {
    draw(panels).map_err(|error| Error::Chart(error.to_string()))
}

type Drawn<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn draw(panels: &[Panel<'_>]) -> Drawn<String> {
    let legend = Legend::of(panels);
    let (width, height) = (900.0, 430.0);
    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (fine(width) as u32, fine(height) as u32));
        let canvas = Canvas(backend.into_drawing_area());
        canvas.0.fill(&colour(PAPER))?;
        let room = width - legend.width() - 24.0;
        let each = room / panels.len().max(1) as f64;
        for (place, panel) in panels.iter().enumerate() {
            let left = each * place as f64 + 48.0;
            Frame::new(panel, left, each - 64.0, 46.0, height - 46.0 - 56.0).draw(&canvas, panel)?;
        }
        legend.draw(&canvas, room + 16.0, 46.0)?;
        canvas.0.present()?;
    }
    Ok(finish(&svg, width, height))
}

/// Gives the picture its size and its dark colours.
fn finish(svg: &str, width: f64, height: f64) -> String {
    let (w, h) = (fine(width) as u32, fine(height) as u32);
    let svg = svg.replacen(
        &format!("width=\"{w}\" height=\"{h}\""),
        &format!("class=\"mapo-chart\" width=\"{width}\" height=\"{height}\""),
        1,
    );
    let mut rules = String::new();
    for (light, dark) in SERIES.into_iter().chain([PAPER, INK, QUIET, GRID]) {
        for what in ["fill", "stroke"] {
            rules.push_str(&format!(
                "    .mapo-chart [{what}=\"#{light:06X}\"] {{ {what}: #{dark:06X}; }}\n"
            ));
        }
    }
    let style = format!(
        "<style>\n  .mapo-chart text {{ font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; }}\n  \
         .mapo-chart polyline {{ stroke-linejoin: round; stroke-linecap: round; }}\n  \
         @media (prefers-color-scheme: dark) {{\n{rules}  }}\n</style>\n"
    );
    // After the opening tag.
    match svg.find('>') {
        Some(end) => format!("{}\n{style}{}", &svg[..=end], svg[end + 1..].trim_start()),
        None => svg,
    }
}

fn fine(length: f64) -> i32 {
    (length * FINE).round() as i32
}

fn colour((light, _): (u32, u32)) -> RGBColor {
    let [_, red, green, blue] = light.to_be_bytes();
    RGBColor(red, green, blue)
}

/// Draws in the lengths of the finished picture.
struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

impl Canvas<'_> {
    fn line(&self, points: &[(f64, f64)], paint: (u32, u32), width: f64, is_dashed: bool) -> Drawn {
        let points: Vec<(i32, i32)> = points.iter().map(|&(x, y)| (fine(x), fine(y))).collect();
        let style = colour(paint).stroke_width(fine(width) as u32);
        if is_dashed {
            let (dash, gap) = (fine(6.0) as u32, fine(4.0) as u32);
            self.0.draw(&DashedPathElement::new(points, dash, gap, style))?;
        } else {
            self.0.draw(&PathElement::new(points, style))?;
        }
        Ok(())
    }

    fn band(&self, outline: &[(f64, f64)], paint: (u32, u32)) -> Drawn {
        let points: Vec<(i32, i32)> = outline.iter().map(|&(x, y)| (fine(x), fine(y))).collect();
        Ok(self.0.draw(&Polygon::new(points, colour(paint).mix(0.13)))?)
    }

    /// A dot with a rim of paper, so that it stands apart from the lines that cross it.
    fn dot(&self, (x, y): (f64, f64), paint: (u32, u32)) -> Drawn {
        let place = (fine(x), fine(y));
        self.0
            .draw(&Circle::new(place, fine(3.6), colour(PAPER).filled()))?;
        Ok(self
            .0
            .draw(&Circle::new(place, fine(2.5), colour(paint).filled()))?)
    }

    fn text(
        &self,
        text: &str,
        (x, y): (f64, f64),
        size: f64,
        paint: (u32, u32),
        across: HPos,
        down: VPos,
    ) -> Drawn {
        // Plotters shrinks its fonts by as much.
        let font = ("sans-serif", size * FINE * 1.24).into_font();
        let style = font.color(&colour(paint)).pos(Pos::new(across, down));
        Ok(self
            .0
            .draw(&Text::new(text.to_owned(), (fine(x), fine(y)), style))?)
    }
}

/// A panel's place and its axes.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    steps: (f64, f64),
    /// The paper has steps on a logarithmic axis; so have we, where they span enough for it.
    is_log: bool,
    /// In per cent.
    range: (f64, f64),
}

impl Frame {
    fn new(panel: &Panel<'_>, left: f64, width: f64, top: f64, height: f64) -> Self {
        let points = || panel.curves.iter().flat_map(|curve| curve.points);
        let steps = points().map(|point| point.step as f64);
        let (first, last) = bounds(steps).unwrap_or((1.0, 10.0));
        let is_log = first > 0.0 && last / first >= 8.0;
        let first = if is_log { first } else { 0.0 };
        let shares = points().flat_map(|point| {
            let std = point.std.unwrap_or(0.0);
            [100.0 * (point.mean - std), 100.0 * (point.mean + std)]
        });
        let (low, high) = bounds(shares).unwrap_or((0.0, 100.0));
        let low = if panel.may_crop && low > 40.0 {
            ((low - 2.0) / 10.0).floor() * 10.0
        } else {
            0.0
        };
        let high = ((high + 1.0) / 10.0).ceil().max(1.0) * 10.0;
        Self {
            left,
            top,
            width,
            height,
            steps: (first, last.max(first + 1.0)),
            is_log,
            range: (low, high.clamp(low + 10.0, 100.0_f64.max(low + 10.0))),
        }
    }

    fn x(&self, step: f64) -> f64 {
        let (first, last) = self.steps;
        let share = match self.is_log {
            true => (step / first).ln() / (last / first).ln(),
            false => (step - first) / (last - first),
        };
        self.left + share * self.width
    }

    fn y(&self, share: f64) -> f64 {
        let (low, high) = self.range;
        let percent = (100.0 * share).clamp(low, high);
        self.top + (high - percent) / (high - low) * self.height
    }

    fn draw(&self, canvas: &Canvas<'_>, panel: &Panel<'_>) -> Drawn {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        canvas.text(
            panel.title,
            (self.left - 32.0, 24.0),
            14.0,
            INK,
            HPos::Left,
            VPos::Center,
        )?;
        for percent in ticks(self.range.0, self.range.1, 6) {
            let y = self.y(percent / 100.0);
            canvas.line(&[(self.left, y), (right, y)], GRID, 1.0, false)?;
            let label = format!("{percent:.0}");
            canvas.text(
                &label,
                (self.left - 8.0, y),
                12.0,
                QUIET,
                HPos::Right,
                VPos::Center,
            )?;
        }
        canvas.line(&[(self.left, bottom), (right, bottom)], QUIET, 1.0, false)?;
        for step in self.step_ticks() {
            let x = self.x(step);
            canvas.line(&[(x, bottom), (x, bottom + 4.0)], QUIET, 1.0, false)?;
            canvas.text(
                &grouped(step),
                (x, bottom + 9.0),
                12.0,
                QUIET,
                HPos::Center,
                VPos::Top,
            )?;
        }
        let name = if self.is_log {
            "training steps (logarithmic)"
        } else {
            "training steps"
        };
        let middle = (self.left + self.width / 2.0, bottom + 32.0);
        canvas.text(name, middle, 12.0, QUIET, HPos::Center, VPos::Top)?;
        for curve in &panel.curves {
            self.band(canvas, curve)?;
        }
        // The first variant is the reference: it lies on top.
        for curve in panel.curves.iter().rev() {
            let (paint, is_dashed) = paint(curve.number);
            let points: Vec<(f64, f64)> = curve
                .points
                .iter()
                .map(|point| (self.x(point.step as f64), self.y(point.mean)))
                .collect();
            canvas.line(
                &points,
                paint,
                if curve.number == 0 { 3.0 } else { 2.0 },
                is_dashed,
            )?;
            if points.len() <= 30 {
                points.iter().try_for_each(|&point| canvas.dot(point, paint))?;
            }
        }
        Ok(())
    }

    /// One standard deviation to both sides.
    fn band(&self, canvas: &Canvas<'_>, curve: &Curve<'_>) -> Drawn {
        let edge = |side: f64| {
            curve.points.iter().filter_map(move |point| {
                let share = point.mean + side * point.std?;
                Some((self.x(point.step as f64), self.y(share)))
            })
        };
        let upper: Vec<(f64, f64)> = edge(1.0).collect();
        let mut outline = upper.clone();
        outline.extend(edge(-1.0).collect::<Vec<_>>().into_iter().rev());
        if upper.len() < 2 {
            return Ok(());
        }
        canvas.band(&outline, paint(curve.number).0)
    }

    fn step_ticks(&self) -> Vec<f64> {
        let (first, last) = self.steps;
        let wanted: Vec<f64> = if self.is_log {
            let decades = first.log10().floor() as i32..=last.log10().ceil() as i32;
            let round = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(decade)));
            round.filter(|step| (first..=last).contains(step)).collect()
        } else {
            let most = (self.width / 70.0) as usize;
            ticks(first, last, most.clamp(2, 8))
        };
        // The last step for certain; of the others none so near the next that their labels would touch.
        let needed = 7.0 * grouped(last).len() as f64 + 10.0;
        let mut kept = vec![last];
        for step in wanted.into_iter().rev() {
            if kept
                .last()
                .is_none_or(|&after| self.x(after) - self.x(step) >= needed)
            {
                kept.push(step);
            }
        }
        kept
    }
}

/// The variants with their colours, the best at the end on top.
struct Legend<'a>(Vec<(&'a str, usize, Option<f64>)>);

impl<'a> Legend<'a> {
    fn of(panels: &'a [Panel<'a>]) -> Self {
        let mut entries: Vec<(&str, usize, Option<f64>)> = Vec::new();
        for curve in panels.iter().flat_map(|panel| &panel.curves) {
            if !entries.iter().any(|(_, number, _)| *number == curve.number) {
                let end = curve.points.last().map(|point| point.mean);
                entries.push((curve.name, curve.number, end.filter(|_| panels.len() == 1)));
            }
        }
        if panels.len() == 1 {
            let end = |entry: &(&str, usize, Option<f64>)| entry.2.unwrap_or(-1.0);
            entries.sort_by(|one, other| end(other).total_cmp(&end(one)));
        }
        Self(entries)
    }

    fn width(&self) -> f64 {
        let longest = self.0.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        (7.0 * longest as f64 + 74.0).clamp(110.0, 340.0)
    }

    fn draw(&self, canvas: &Canvas<'_>, left: f64, top: f64) -> Drawn {
        for (place, (name, number, end)) in self.0.iter().enumerate() {
            let y = top + 8.0 + 22.0 * place as f64;
            let (paint, is_dashed) = paint(*number);
            canvas.line(&[(left, y), (left + 18.0, y)], paint, 2.5, is_dashed)?;
            canvas.text(name, (left + 26.0, y), 12.5, INK, HPos::Left, VPos::Center)?;
            if let Some(end) = end {
                let right = left + self.width() - 8.0;
                let text = format!("{:.1}", 100.0 * end);
                canvas.text(&text, (right, y), 12.5, QUIET, HPos::Right, VPos::Center)?;
            }
        }
        Ok(())
    }
}

fn paint(number: usize) -> ((u32, u32), bool) {
    (
        SERIES[number % SERIES.len()],
        !(number / SERIES.len()).is_multiple_of(2),
    )
}

fn bounds(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |bounds, number| match bounds {
        None => Some((number, number)),
        Some((low, high)) => Some((low.min(number), high.max(number))),
    })
}

/// At most this many round numbers between two.
fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = ((high - low) / most.max(1) as f64).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

/// A whole number with commas.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(means: &[f64]) -> Vec<Point> {
        let point = |(place, mean): (usize, &f64)| Point {
            step: 100 * (place as u64 + 1),
            mean: *mean,
            std: Some(0.02),
        };
        means.iter().enumerate().map(point).collect()
    }

    #[test]
    fn a_chart_names_its_curves_and_has_both_sets_of_colours() {
        let (one, other) = (points(&[0.2, 0.5, 0.9]), points(&[0.1, 0.1, 0.2]));
        let curve = |name, number, points| Curve { name, number, points };
        let panel = Panel {
            title: "right (%)",
            curves: vec![curve("mapo", 0, &one), curve("reinforce", 1, &other)],
            may_crop: true,
        };
        let svg = chart(&[panel]).unwrap();
        for part in [
            "mapo",
            "reinforce",
            "right (%)",
            "training steps",
            "prefers-color-scheme",
            "90.0",
        ] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.contains("\n300\n"), "the last step is named: {svg}");
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert_eq!(svg.matches("<svg").count(), 1);
    }

    #[test]
    fn hardly_any_points_are_no_trouble() {
        for points in [points(&[]), points(&[0.0]), points(&[1.0])] {
            let curves = vec![Curve {
                name: "a",
                number: 9,
                points: &points,
            }];
            let panel = Panel {
                title: "t",
                curves,
                may_crop: true,
            };
            let svg = chart(&[panel]).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        chart(&[]).unwrap();
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 100.0, 6), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(70.0, 100.0, 6), [70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0]);
        assert_eq!(grouped(25_000.0), "25,000");
        assert_eq!(grouped(500.0), "500");
    }
}
