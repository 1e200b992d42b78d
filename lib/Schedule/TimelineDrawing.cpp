//===- TimelineDrawing.cpp - timelines as SVG -----------------------------===//
//
// Boxes of units in rows of workers. Lengths are pixels.
//
//===----------------------------------------------------------------------===//

#include "cutl/Schedule/Timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

using namespace cutl::schedule;

namespace {

/// The plot is no wider, and its rows together hardly higher.
constexpr double kPlotWidth = 960, kPlotHeight = 1200;
/// Nor is an iteration of a small problem wider than this.
constexpr double kIterationWidth = 40;
constexpr double kHighestRow = 18, kLowestRow = 4;
/// Where the plot begins, and what is left of the page beside it.
constexpr double kLeft = 64, kTop = 70, kRight = 24;
/// Below the plot: labels of time, what time is, and the legend.
constexpr double kBottom = 76;
/// Captions and the legend need as much.
constexpr double kNarrowestPage = 860;
/// Of a character, by the size of its font.
constexpr double kCharacter = .62;

constexpr const char *kEpilogueFill = "#666";
constexpr const char *kLastFill = "#b3261e";
constexpr const char *kAfterFill = "#5b5f97";

std::string escape(const std::string &text) {
  std::string escaped;
  for (char c : text)
    switch (c) {
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '&':
      escaped += "&amp;";
      break;
    default:
      escaped += c;
    }
  return escaped;
}

/// A length to a tenth, without a zero behind the point.
std::string px(double length) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", length);
  std::string digits = text;
  return digits.substr(digits.size() - 2) == ".0"
             ? digits.substr(0, digits.size() - 2)
             : digits;
}

/// A light colour; those of neighbouring numbers are far apart on the wheel.
std::string colourOf(int64_t tile) {
  double hue = double(tile % 360 * 137 % 360), saturation = .6, light = .76;
  auto channel = [&](int offset) {
    double k = std::fmod(offset + hue / 30, 12);
    double level = std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0);
    return int(std::lround(
        255 * (light - saturation * std::min(light, 1 - light) * level)));
  };
  char text[8];
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", channel(0), channel(8),
                channel(4));
  return text;
}

/// The least of 1, 2, 5, 10, … that is no less than `least`.
int64_t roundStep(double least) {
  for (int64_t power = 1;; power *= 10)
    for (int64_t factor : {1, 2, 5})
      if (factor * power >= least)
        return factor * power;
}

/// One timeline's drawing.
class Drawing {
public:
  Drawing(const Timeline &timeline, const Caption &caption)
      : timeline(timeline), caption(caption),
        end(timeline.end + (timeline.addsAfter ? timeline.share : 0)),
        scale(std::min(kIterationWidth,
                       kPlotWidth / double(std::max<int64_t>(end, 1)))),
        row(std::clamp(kPlotHeight /
                           double(std::max<int64_t>(timeline.workers, 1)),
                       kLowestRow, kHighestRow)) {}

  double width() const {
    return std::max(kLeft + double(end) * scale + kRight, kNarrowestPage);
  }
  double height() const { return bottom() + kBottom; }

  std::string draw();

private:
  double x(int64_t time) const { return kLeft + double(time) * scale; }
  double y(int64_t worker) const { return kTop + double(worker) * row; }
  double bottom() const { return y(timeline.workers); }

  void drawRect(double left, double top, double width, double height,
                const std::string &fill);
  void drawText(double left, double top, const std::string &text,
                const std::string &attributes = "");
  void drawCaption();
  void drawAxes();
  void drawUnit(const TimedUnit &unit);
  void drawAdding();
  void drawLegend();

  const Timeline &timeline;
  const Caption &caption;
  /// Of all that is drawn.
  int64_t end;
  /// Pixels of a k iteration and of a worker.
  double scale, row;
  std::ostringstream os;
};

} // namespace

void Drawing::drawRect(double left, double top, double width, double height,
                       const std::string &fill) {
  os << "<rect x=\"" << px(left) << "\" y=\"" << px(top) << "\" width=\""
     << px(width) << "\" height=\"" << px(height) << "\" fill=\"" << fill
     << "\"/>";
}

void Drawing::drawText(double left, double top, const std::string &text,
                       const std::string &attributes) {
  os << "<text x=\"" << px(left) << "\" y=\"" << px(top) << '"' << attributes
     << '>' << escape(text) << "</text>";
}

void Drawing::drawCaption() {
  drawText(kLeft, 22, caption.problem,
           " font-size=\"14\" font-weight=\"bold\"");
  drawText(kLeft, 39, caption.tile);
  drawText(kLeft, 55, caption.schedule);
  os << '\n';
}

void Drawing::drawAxes() {
  os << "<g class=\"axes\" fill=\"#444\">";
  drawRect(kLeft, kTop, double(end) * scale, bottom() - kTop, "#eee");
  int64_t step = roundStep(14 / row);
  for (int64_t worker = 0; worker < timeline.workers; worker += step)
    drawText(kLeft - 6, y(worker) + row / 2 + 4, std::to_string(worker),
             " text-anchor=\"end\"");
  step = roundStep(64 / scale);
  for (int64_t time = 0; time <= end; time += step) {
    drawRect(x(time), bottom(), 1, 4, "#444");
    drawText(x(time), bottom() + 16, std::to_string(time),
             " text-anchor=\"middle\"");
  }
  drawText(kLeft, bottom() + 33,
           "time in k iterations; an epilogue, a write of a partial result and "
           "adding up are drawn as " +
               std::to_string(timeline.share));
  double middle = (kTop + bottom()) / 2;
  drawText(16, middle, caption.worker,
           " text-anchor=\"middle\" transform=\"rotate(-90 16 " + px(middle) +
               ")\"");
  os << "</g>\n";
}

void Drawing::drawUnit(const TimedUnit &timed) {
  const WorkUnit &unit = timed.unit;
  double top = y(timed.worker), high = row - (row > 6 ? 1 : .5);
  double left = x(timed.begin), done = x(timed.kDone()), turn = x(timed.turn());
  double share = double(timeline.share) * scale;
  os << "<g class=\"unit\"><title>tile " << timed.tile << " (m " << unit.tile.m
     << ", n " << unit.tile.n << ", batch " << unit.tile.batch << "), k "
     << unit.kBegin << ".." << unit.kEnd;
  if (timed.isPart)
    os << ", part in slot " << unit.slot
       << (timed.isLast ? ", the last to arrive" : "");
  os << "</title>";
  std::string colour = colourOf(timed.tile);
  drawRect(left, top, done + (timed.wait ? 0 : share) - left, high, colour);
  if (timed.wait)
    drawRect(turn, top, share, high, colour);
  drawRect(turn, top, share, high, timed.isPart ? "url(#part)" : kEpilogueFill);
  if (timed.isLast)
    drawRect(turn + share, top, share, high, kLastFill);
  std::string number = std::to_string(timed.tile);
  double font = std::min(11.0, row - 1);
  if (font >= 7 && done - left >= double(number.size()) * font * kCharacter + 2)
    drawText((left + done) / 2, top + high / 2 + font * .36, number,
             " font-size=\"" + px(font) + "\" text-anchor=\"middle\"");
  os << "</g>\n";
}

void Drawing::drawAdding() {
  os << "<g class=\"adding\"><title>another kernel adds up the parts</title>";
  drawRect(x(timeline.end), kTop, double(timeline.share) * scale,
           bottom() - kTop, kAfterFill);
  os << "</g>\n";
}

void Drawing::drawLegend() {
  auto has = [&](bool TimedUnit::*what) {
    return std::any_of(timeline.units.begin(), timeline.units.end(),
                       [&](const TimedUnit &unit) { return unit.*what; });
  };
  bool hasWhole =
      std::any_of(timeline.units.begin(), timeline.units.end(),
                  [](const TimedUnit &unit) { return !unit.isPart; });
  struct Item {
    std::string fill, text;
    bool isShown;
  };
  double left = kLeft, top = bottom() + 44;
  os << "<g class=\"legend\">";
  for (const Item &item :
       {Item{colourOf(0), "k iterations of a tile, by its number", true},
        Item{kEpilogueFill, "epilogue", hasWhole},
        Item{"url(#part)", "partial result written", has(&TimedUnit::isPart)},
        Item{kLastFill, "last to arrive: adds up, epilogue",
             has(&TimedUnit::isLast)},
        Item{kAfterFill, "another kernel adds up", timeline.addsAfter},
        Item{"#eee", "idle", true}}) {
    if (!item.isShown)
      continue;
    drawRect(left, top, 14, 12, item.fill);
    drawText(left + 19, top + 10, item.text);
    left += 19 + double(item.text.size()) * 11 * .56 + 14;
  }
  os << "</g>\n";
}

std::string Drawing::draw() {
  drawCaption();
  drawAxes();
  for (const TimedUnit &unit : timeline.units)
    drawUnit(unit);
  if (timeline.addsAfter)
    drawAdding();
  drawLegend();
  return os.str();
}

std::string
cutl::schedule::drawTimelines(const std::vector<CaptionedTimeline> &timelines) {
  double width = 0, height = 0;
  std::ostringstream body;
  for (const CaptionedTimeline &each : timelines) {
    Drawing drawing(each.timeline, each.caption);
    body << "<g class=\"schedule\" transform=\"translate(0 " << px(height)
         << ")\">\n"
         << drawing.draw() << "</g>\n";
    width = std::max(width, drawing.width());
    height += drawing.height();
  }
  std::ostringstream os;
  std::string size = px(width) + "\" height=\"" + px(height) + "\"";
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << size
     << " viewBox=\"0 0 " << px(width) << ' ' << px(height)
     << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
     << "<defs><pattern id=\"part\" width=\"4\" height=\"4\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect "
        "width=\"2\" height=\"4\" fill=\"#333\"/></pattern></defs>\n"
     << "<rect width=\"" << size << " fill=\"#fff\"/>\n"
     << body.str() << "</svg>\n";
  return os.str();
}
