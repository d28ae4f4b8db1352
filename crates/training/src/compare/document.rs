//! A document, described once and written as Markdown or as HTML, so that the two cannot disagree.

use std::fmt::Write;

/// A document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// What is in it, in order.
    pub blocks: Vec<Block>,
}

/// A part of a document. All texts are plain: what means something in Markdown or HTML is escaped.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// A command or the like, as it is typed.
    Code(String),
    /// A table. Columns whose number is in `numbers` are aligned to the right.
    Table {
        /// The columns' names.
        columns: Vec<String>,
        /// The columns that hold numbers.
        numbers: Vec<usize>,
        /// The cells.
        rows: Vec<Vec<Cell>>,
    },
    /// A picture: in Markdown a link to its file, in HTML the picture itself.
    Figure {
        /// The file, beside the document.
        file: String,
        /// The picture.
        svg: String,
        /// What it shows.
        caption: String,
    },
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Whether it stands out.
    pub is_strong: bool,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            is_strong: false,
        }
    }
}

impl Cell {
    /// A cell that stands out.
    pub fn strong(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_strong: true,
        }
    }
}

impl Document {
    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n", markdown(&self.title));
        for block in &self.blocks {
            out.push('\n');
            match block {
                Block::Heading(text) => push(&mut out, format_args!("## {}\n", markdown(text))),
                Block::Paragraph(text) => push(&mut out, format_args!("{}\n", markdown(text))),
                Block::Code(text) => push(&mut out, format_args!("```sh\n{text}\n```\n")),
                Block::Table {
                    columns,
                    numbers,
                    rows,
                } => {
                    let names: Vec<String> = columns.iter().map(|name| markdown(name)).collect();
                    push(&mut out, format_args!("| {} |\n|", names.join(" | ")));
                    for column in 0..columns.len() {
                        out.push_str(if numbers.contains(&column) {
                            "---:|"
                        } else {
                            "---|"
                        });
                    }
                    out.push('\n');
                    for row in rows {
                        let cells: Vec<String> = row
                            .iter()
                            .map(|cell| match cell.is_strong {
                                true => format!("**{}**", markdown(&cell.text)),
                                false => markdown(&cell.text),
                            })
                            .collect();
                        push(&mut out, format_args!("| {} |\n", cells.join(" | ")));
                    }
                }
                Block::Figure { file, caption, .. } => {
                    let caption = markdown(caption);
                    push(&mut out, format_args!("![{caption}]({file})\n\n{caption}\n"));
                }
            }
        }
        out
    }

    /// As one HTML file that needs no other.
    pub fn to_html(&self) -> String {
        let title = html(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
             </head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        for block in &self.blocks {
            match block {
                Block::Heading(text) => push(&mut out, format_args!("<h2>{}</h2>\n", html(text))),
                Block::Paragraph(text) => push(&mut out, format_args!("<p>{}</p>\n", html(text))),
                Block::Code(text) => push(&mut out, format_args!("<pre><code>{}</code></pre>\n", html(text))),
                Block::Table {
                    columns,
                    numbers,
                    rows,
                } => {
                    let class = |column: usize| {
                        if numbers.contains(&column) {
                            " class=\"number\""
                        } else {
                            ""
                        }
                    };
                    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
                    for (column, name) in columns.iter().enumerate() {
                        push(
                            &mut out,
                            format_args!("<th{} scope=\"col\">{}</th>", class(column), html(name)),
                        );
                    }
                    out.push_str("</tr></thead>\n<tbody>\n");
                    for row in rows {
                        out.push_str("<tr>");
                        for (column, cell) in row.iter().enumerate() {
                            let text = html(&cell.text);
                            let text = if cell.is_strong {
                                format!("<strong>{text}</strong>")
                            } else {
                                text
                            };
                            push(&mut out, format_args!("<td{}>{text}</td>", class(column)));
                        }
                        out.push_str("</tr>\n");
                    }
                    out.push_str("</tbody></table></div>\n");
                }
                Block::Figure { svg, caption, .. } => {
                    let caption = html(caption);
                    push(
                        &mut out,
                        format_args!("<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>\n"),
                    );
                }
            }
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }
}

/// Writing to a text cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Plain text in Markdown.
fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '[' | ']' | '<' | '\\' | '#') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// Plain text in HTML.
fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter => out.push(letter),
        }
    }
    out
}

const STYLE: &str = "
:root { --page: #f7f7f5; --card: #ffffff; --ink: #1d1d1b; --quiet: #61605b; --rule: #e3e2dd; --code: #f1f0ec; }
@media (prefers-color-scheme: dark) {
  :root { --page: #121211; --card: #1a1a19; --ink: #f2f1ec; --quiet: #a9a79f; --rule: #34332f; --code: #262522; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.75rem; }
p { max-width: 46rem; margin: 0.75rem 0; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.5rem 0.6rem; text-align: left; border-bottom: 1px solid var(--rule); vertical-align: top; }
td:first-child, th, .number { white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
th { font-weight: 600; color: var(--quiet); font-size: 0.82rem; }
.number { text-align: right; }
figure { margin: 1.25rem 0; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 1rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: 0.88rem; margin-top: 0.6rem; }
pre { background: var(--code); border-radius: 8px; padding: 0.9rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.86rem; }
";

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let rows = vec![vec![Cell::from("a|b <i>"), Cell::strong("1.5")]];
        Document {
            title: "Tom & Co".into(),
            blocks: vec![
                Block::Heading("hard_em".into()),
                Block::Table {
                    columns: vec!["name".into(), "value".into()],
                    numbers: vec![1],
                    rows,
                },
                Block::Figure {
                    file: "a.svg".into(),
                    svg: "<svg/>".into(),
                    caption: "A curve".into(),
                },
                Block::Code("mapo compare --set 'a=<b>'".into()),
            ],
        }
    }

    #[test]
    fn markdown_escapes_what_would_mean_something() {
        let text = document().to_markdown();
        assert!(
            text.starts_with("# Tom & Co\n\n## hard\\_em\n\n| name | value |\n|---|---:|\n"),
            "{text}"
        );
        assert!(text.contains("| a\\|b \\<i> | **1.5** |"), "{text}");
        assert!(text.contains("![A curve](a.svg)"), "{text}");
        assert!(text.contains("\nmapo compare --set 'a=<b>'\n"), "{text}");
    }

    #[test]
    fn html_says_the_same_and_needs_no_other_file() {
        let text = document().to_html();
        for part in [
            "<h1>Tom &amp; Co</h1>",
            "<td>a|b &lt;i&gt;</td>",
            "<td class=\"number\"><strong>1.5</strong></td>",
            "<svg/>",
            "a=&lt;b&gt;",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("http") && !text.contains("src="), "{text}");
    }
}
