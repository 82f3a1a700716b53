//! A chart: horizontal bars with whiskers, each labelled with its figure, drawn for a light and for a dark background.
//!
//! The picture names only fonts that every system has, so that it looks right wherever it is shown; widths of texts are
//! estimates on the safe side.

use super::super::number::NONE;
use super::super::render::ReportError;
use super::series::Span;
use crate::model::Role;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    /// Whose it is.
    pub(super) label: String,
    /// Its length.
    pub(super) value: f64,
    /// The ends of its whisker.
    pub(super) whisker: Option<Span>,
    /// The value with its unit.
    pub(super) text: String,
    /// What gives it its hue.
    pub(super) role: Role,
}

/// Bars that share a scale.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    /// What they show.
    pub(super) title: String,
    /// The bars, the best first.
    pub(super) bars: Vec<Bar>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chart {
    /// The end of its file's name.
    pub(super) name: &'static str,
    /// What it shows, for who does not see it.
    pub(super) title: String,
    /// Its panels, one below the other.
    pub(super) panels: Vec<Panel>,
}

/// What a chart is drawn upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    /// Dark text on white.
    Light,
    /// Light text on almost black.
    Dark,
}

struct Palette {
    ground: RGBColor,
    text: RGBColor,
    faint: RGBColor,
    line: RGBColor,
    subject: RGBColor,
    reference: RGBColor,
}

/// Blue and orange are told apart by everyone who sees colours at all, and differ in lightness too; against the ground, bars
/// reach a contrast of 3 and texts of 7.
const LIGHT: Palette = Palette {
    ground: RGBColor(0xff, 0xff, 0xff),
    text: RGBColor(0x1f, 0x23, 0x28),
    faint: RGBColor(0x4b, 0x53, 0x5d),
    line: RGBColor(0x8c, 0x95, 0x9f),
    subject: RGBColor(0x00, 0x72, 0xb2),
    reference: RGBColor(0xd0, 0x7a, 0x00),
};
const DARK: Palette = Palette {
    ground: RGBColor(0x0d, 0x11, 0x17),
    text: RGBColor(0xe6, 0xed, 0xf3),
    faint: RGBColor(0xb1, 0xba, 0xc4),
    line: RGBColor(0x6e, 0x76, 0x81),
    subject: RGBColor(0x3f, 0x8f, 0xd2),
    reference: RGBColor(0xe6, 0x9f, 0x00),
};

const WIDTH: i32 = 840;
const MARGIN: i32 = 16;
/// The widest label.
const LABEL: i32 = WIDTH / 3;
const ROW: i32 = 26;
const THICKNESS: i32 = 14;
const TITLE: i32 = 30;
const GAP: i32 = 14;
const LEGEND: i32 = 28;
const FONT: &str = "system-ui, sans-serif";
const TEXT: f64 = 13.0;
const HEADING: f64 = 14.0;
/// The backend writes a size divided by this.
const POINTS: f64 = 1.24;

impl Chart {
    /// The picture as a text.
    ///
    /// # Errors
    /// [`ReportError::Write`] where the library can't draw it.
    pub(super) fn svg(&self, theme: Theme) -> Result<String, ReportError> {
        let failed = |error: &dyn Display| ReportError::Write { format: "a chart", reason: error.to_string() };
        let mut svg = String::new();
        let bars = self.panels.iter().map(|panel| i32::try_from(panel.bars.len()).unwrap_or(0) * ROW + TITLE + GAP);
        let height = bars.sum::<i32>() + 2 * MARGIN + if self.has_both_roles() { LEGEND } else { 0 };
        {
            let size = (WIDTH.unsigned_abs(), height.unsigned_abs());
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.draw(&area, theme).map_err(|error| failed(&error))?;
            area.present().map_err(|error| failed(&error))?;
        }
        // The library has no words for who does not see the picture.
        let named = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(&self.title));
        Ok(svg.replacen("<svg ", &named, 1))
    }

    fn has_both_roles(&self) -> bool {
        let any = |role| self.panels.iter().flat_map(|panel| &panel.bars).any(|bar| bar.role == role);
        any(Role::Subject) && any(Role::Reference)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, plotters::coord::Shift>,
        theme: Theme,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let palette = if theme == Theme::Light { &LIGHT } else { &DARK };
        let widest = |text: fn(&Bar) -> &str| {
            self.panels.iter().flat_map(|panel| &panel.bars).map(|bar| estimate(text(bar))).fold(0, i32::max)
        };
        let left = MARGIN + widest(|bar| &bar.label).min(LABEL) + 10;
        let right = (WIDTH - MARGIN - widest(|bar| &bar.text) - 10).max(left + WIDTH / 4);
        area.fill(&palette.ground)?;
        let mut top = MARGIN;
        for panel in &self.panels {
            let heading = style(HEADING, &palette.text, HPos::Left, FontStyle::Bold);
            area.draw(&Text::new(fitting(&panel.title, WIDTH - 2 * MARGIN), (MARGIN, top + TITLE / 2 - 4), heading))?;
            top += TITLE;
            draw_bars(area, panel, palette, (left, right), top)?;
            top += i32::try_from(panel.bars.len()).unwrap_or(0) * ROW + GAP;
        }
        if self.has_both_roles() {
            let mut x = left;
            for (name, colour) in [("subject", palette.subject), ("reference", palette.reference)] {
                area.draw(&Rectangle::new([(x, top + 4), (x + 12, top + 16)], colour.filled()))?;
                let text = style(TEXT, &palette.faint, HPos::Left, FontStyle::Normal);
                area.draw(&Text::new(name, (x + 18, top + 10), text))?;
                x += 110;
            }
        }
        Ok(())
    }
}

fn draw_bars<B: DrawingBackend>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    panel: &Panel,
    palette: &Palette,
    (left, right): (i32, i32),
    top: i32,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let reach = |bar: &Bar| bar.whisker.map_or(bar.value, |whisker| whisker.high.max(bar.value));
    let most = panel.bars.iter().map(reach).filter(|value| value.is_finite()).fold(0.0, f64::max);
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the width of the picture")]
    let at = |value: f64| {
        let share = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
        left + (share * f64::from(right - left)).round() as i32
    };
    for (row, bar) in (0..).zip(&panel.bars) {
        let middle = top + row * ROW + ROW / 2;
        let (upper, lower) = (middle - THICKNESS / 2, middle + THICKNESS / 2);
        let colour = if bar.role == Role::Subject { palette.subject } else { palette.reference };
        let label = style(TEXT, &palette.text, HPos::Right, FontStyle::Normal);
        area.draw(&Text::new(fitting(&bar.label, LABEL), (left - 10, middle), label))?;
        let end = at(bar.value);
        area.draw(&Rectangle::new([(left, upper), (end, lower)], colour.filled()))?;
        let mut text = end;
        if let Some(Span { low, high }) = bar.whisker {
            let (low, high) = (at(low), at(high));
            let paths = [
                [(low, middle), (high, middle)],
                [(low, middle - 4), (low, middle + 4)],
                [(high, middle - 4), (high, middle + 4)],
            ];
            // Lines of the ground's colour around it keep it visible upon its bar.
            for line in [palette.ground.stroke_width(4), palette.text.stroke_width(2)] {
                for path in paths {
                    area.draw(&PathElement::new(path, line))?;
                }
            }
            text = text.max(high);
        }
        let value = style(TEXT, &palette.text, HPos::Left, FontStyle::Normal);
        area.draw(&Text::new(bar.text.clone(), (text + 8, middle), value))?;
    }
    let bottom = top + i32::try_from(panel.bars.len()).unwrap_or(0) * ROW;
    area.draw(&PathElement::new([(left, top), (left, bottom)], palette.line.stroke_width(1)))
}

fn style(size: f64, colour: &RGBColor, side: HPos, weight: FontStyle) -> TextStyle<'_> {
    let font = FontDesc::new(FontFamily::Name(FONT), size * POINTS, weight);
    TextStyle::from(font).color(colour).pos(Pos::new(side, VPos::Center))
}

/// About how wide a text is.
fn estimate(text: &str) -> i32 {
    let width: f64 = text.chars().map(|c| if c.is_ascii() { 0.58 } else { 1.0 }).sum();
    #[expect(clippy::cast_possible_truncation, reason = "a short text")]
    let pixels = (width * TEXT).min(10_000.0) as i32;
    pixels
}

/// As much of a text as fits, with an ellipsis where something was cut.
fn fitting(text: &str, width: i32) -> String {
    let mut cut = text.to_owned();
    while estimate(&cut) > width && cut.pop().is_some() {}
    if cut.len() < text.len() { format!("{}…", cut.trim_end()) } else { cut }
}

/// A text inside an attribute of XML or HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&#39;"),
            c => result.push(c),
        }
    }
    result
}

/// What a chart shows, in words: its panels with their figures, as far as they fit.
pub(super) fn in_words(panels: &[Panel]) -> String {
    const PARTS: usize = 40;
    let mut parts = 0;
    let mut text = String::from("Bar chart.");
    for panel in panels {
        if parts >= PARTS {
            text.push_str(" The tables hold the rest.");
            break;
        }
        let bars = panel
            .bars
            .iter()
            .map(|bar| if bar.text == NONE { bar.label.clone() } else { format!("{} {}", bar.label, bar.text) });
        text = format!("{text} {}: {}.", panel.title, bars.collect::<Vec<_>>().join(", "));
        parts += panel.bars.len();
    }
    text
}
