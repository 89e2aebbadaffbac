#include "tests/cypher/gherkin.hpp"

#include <algorithm>
#include <sstream>

namespace whence::tests {
namespace {

std::string_view stripped(std::string_view line) {
  auto const begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == '|' || line[i + 1] == '\\')) {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back(stripped(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

std::string replaced(std::string text, std::vector<std::string> const& names, std::vector<std::string> const& values) {
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
    auto const mark = "<" + names[i] + ">";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + values[i].size()))
      text.replace(at, mark.size(), values[i]);
  }
  return text;
}

struct Outline {
  Scenario scenario;
  std::vector<Table> examples;
  bool is_outline = false;
};

void add_runs(Outline const& outline, std::vector<Step> const& background, std::vector<Scenario>& out) {
  auto whole = outline.scenario;
  whole.steps.insert(whole.steps.begin(), background.begin(), background.end());
  if (!outline.is_outline) {
    out.push_back(std::move(whole));
    return;
  }
  std::size_t number = 0;
  for (auto const& table : outline.examples) {
    for (std::size_t row = 1; row < table.size(); ++row) {
      auto run = whole;
      run.example = ++number;
      for (auto& step : run.steps) {
        step.text = replaced(step.text, table[0], table[row]);
        step.document = replaced(step.document, table[0], table[row]);
        for (auto& line : step.table) {
          for (auto& cell : line) cell = replaced(cell, table[0], table[row]);
        }
      }
      out.push_back(std::move(run));
    }
  }
}

bool drop_prefix(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  line = stripped(line);
  return true;
}

}  // namespace

std::vector<Scenario> parse_feature(std::string_view text) {
  std::vector<Scenario> made;
  std::vector<Step> background;
  Outline current;
  bool has_current = false;
  bool in_background = false;
  bool in_examples = false;
  std::istringstream in{std::string{text}};
  std::string raw;
  auto const finish = [&] {
    if (has_current) add_runs(current, background, made);
    current = {};
    has_current = in_examples = in_background = false;
  };
  while (std::getline(in, raw)) {
    auto line = stripped(raw);
    if (line.empty() || line.front() == '#' || line.front() == '@' || line.starts_with("Feature:")) continue;
    auto& steps = in_background ? background : current.scenario.steps;
    if (line.starts_with("\"\"\"")) {
      auto const indent = raw.find('"');
      std::string document;
      while (std::getline(in, raw) && !stripped(raw).starts_with("\"\"\"")) {
        auto const blank = raw.find_first_not_of(" \t");
        document += raw.substr(std::min({indent, raw.size(), blank == std::string::npos ? raw.size() : blank})) + "\n";
      }
      steps.back().document = document;
    } else if (line.front() == '|') {
      if (in_examples) {
        current.examples.back().push_back(cells_of(line));
      } else {
        steps.back().table.push_back(cells_of(line));
      }
    } else if (drop_prefix(line, "Background:")) {
      finish();
      in_background = true;
    } else if (bool const is_outline = drop_prefix(line, "Scenario Outline:");
               is_outline || drop_prefix(line, "Scenario:")) {
      finish();
      has_current = true;
      current.is_outline = is_outline;
      current.scenario.name = std::string{line};
    } else if (drop_prefix(line, "Examples:")) {
      in_examples = true;
      current.examples.emplace_back();
    } else {
      for (auto const* word : {"Given ", "When ", "Then ", "And ", "But "}) {
        if (drop_prefix(line, word)) break;
      }
      steps.push_back({.text = std::string{line}, .document = {}, .table = {}});
    }
  }
  finish();
  return made;
}

}  // namespace whence::tests
