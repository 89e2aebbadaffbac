// cypher_tck FEATURES [LIST]: runs openCypher's TCK, prints a table by folder, and writes one JSON line per scenario.
#include "queries/cypher/query.hpp"
#include "tests/cypher/canonical.hpp"
#include "tests/cypher/gherkin.hpp"
#include "tests/cypher/graph_maker.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>

namespace {

using namespace whence;
using namespace whence::queries::cypher;
using namespace whence::tests;
namespace fs = std::filesystem;

/// The TCK's Europe/Stockholm is the one of the time zone database without its historical appendix, where it is a link
/// to Europe/Berlin. Debian compiles the appendix in.
class TckZones final : public Zones {
 public:
  [[nodiscard]] ZoneRules const* find(std::string_view name) const override {
    return system_.find(name == "Europe/Stockholm" ? "Europe/Berlin" : name);
  }

 private:
  SystemZones system_;
};

class TableProcedures final : public Procedures {
 public:
  [[nodiscard]] Procedure const* find(std::string_view name) const override {
    auto const found = procedures_.find(name);
    return found == procedures_.end() ? nullptr : &found->second;
  }
  void add(Procedure procedure) { procedures_[procedure.name] = std::move(procedure); }

 private:
  std::map<std::string, Procedure, std::less<>> procedures_;
};

std::string file_text(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// What came of one run.
struct RunResult {
  std::string status = "passed";  ///< "passed", "refused", "failed"
  std::string reason = {};
};

class Run {
 public:
  Run(Scenario const& scenario, fs::path graphs) : scenario_(scenario), graphs_(std::move(graphs)) {}

  RunResult run() {
    for (auto const& step : scenario_.steps) {
      take(step);
      if (outcome_.status != "passed") break;
    }
    return outcome_;
  }

 private:
  void fail(std::string reason) { outcome_ = {"failed", std::move(reason)}; }
  void refuse(std::string reason) { outcome_ = {"refused", std::move(reason)}; }

  void take(Step const& step) {
    auto const& text = step.text;
    if (text == "an empty graph" || text == "any graph") return;
    if (text == "no side effects") return;
    if (text.ends_with(" graph") && text.starts_with("the ")) {
      auto const name = text.substr(4, text.size() - 10);
      return setup(file_text(graphs_ / name / (name + ".cypher")));
    }
    if (text == "having executed:") return setup(step.document);
    if (text == "parameters are:") return set_params(step.table);
    if (text.starts_with("there exists a procedure")) return add_procedure(step);
    if (text == "executing query:" || text == "executing control query:") return execute(step.document);
    if (text.starts_with("the result should be")) return compare(step);
    if (text.starts_with("a ") || text.starts_with("an ")) return expect_error(text);
    if (text == "the side effects should be:") return refuse("writes");
    fail("unknown step: " + text);
  }

  void setup(std::string const& text) {
    auto const error = make_graph(graph_, text, params_);
    if (!error) return;
    if (error->kind == ErrorKind::writing_refused) return refuse("set-up with " + error->detail);
    fail("set-up: " + error->message);
  }

  Value constant(std::string const& text) {
    auto const prepared = prepare("RETURN " + text + " AS value");
    if (!prepared) return text;
    auto rows = queries::cypher::run(*prepared, graph_, {}, {.interrupt = interrupt_});
    auto row = rows->next();
    return (**row)[0];
  }

  void set_params(Table const& table) {
    for (auto const& row : table) params_[row[0]] = constant(row[1]);
  }

  void add_procedure(Step const& step) {
    static std::regex const form{R"(there exists a procedure (\S+?)\((.*?)\) ?:: ?\((.*?)\) ?:?\s*)"};
    std::smatch match;
    if (!std::regex_match(step.text, match, form)) return fail("unknown procedure: " + step.text);
    auto const fields = [](std::string const& text) {
      static std::regex const field{R"((\w+) ?:: ?(\w+)\??)"};
      std::vector<ProcedureField> made;
      for (std::sregex_iterator at{text.begin(), text.end(), field}, end; at != end; ++at)
        made.push_back({.name = (*at)[1], .type = (*at)[2]});
      return made;
    };
    Procedure procedure{.name = match[1], .parameters = fields(match[2]), .columns = fields(match[3]), .call = {}};
    std::vector<List> rows;
    for (std::size_t i = 1; i < step.table.size(); ++i) {
      List row;
      for (auto const& cell : step.table[i]) row.push_back(constant(cell));
      rows.push_back(std::move(row));
    }
    auto const inputs = procedure.parameters.size();
    procedure.call = [rows, inputs](ProcedureContext const&,
                                    List const& arguments) -> Outcome<std::unique_ptr<ProcedureRows>> {
      std::vector<List> made;
      for (auto const& row : rows) {
        bool fits = true;
        for (std::size_t i = 0; i < inputs && i < row.size(); ++i)
          fits = fits && canonical(row[i], false) == canonical(arguments[i], false);
        if (fits) made.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(std::min(inputs, row.size())), row.end());
      }
      return rows_of(std::move(made));
    };
    procedures_.add(std::move(procedure));
  }

  void execute(std::string const& text) {
    query_ = text;
    error_.reset();
    rows_.clear();
    auto const prepared = prepare(text, &procedures_);
    if (!prepared) {
      error_ = prepared.error();
    } else {
      columns_ = prepared->columns();
      auto rows = queries::cypher::run(*prepared, graph_, params_, {.interrupt = interrupt_, .steps_max = 50'000'000},
                                       {.now_seconds = 1'500'000'000, .zones = &zones_});
      if (!rows) error_ = rows.error();
      while (rows) {
        auto row = rows->next();
        if (!row) error_ = row.error();
        if (!row || !*row) break;
        rows_.push_back(**row);
      }
    }
    if (error_ && error_->kind == ErrorKind::writing_refused) refuse("writes with " + error_->detail);
  }

  void compare(Step const& step) {
    if (error_) {
      std::ostringstream text;
      text << *error_;
      return fail("raised " + text.str());
    }
    bool const sorts = step.text.find("ignoring element order") != std::string::npos;
    bool const in_order = step.text.find("in order") != std::string::npos;
    if (step.table.empty()) {
      if (!rows_.empty()) fail("rows, where none were expected: " + std::to_string(rows_.size()));
      return;
    }
    auto const& header = step.table[0];
    std::vector<std::size_t> places;
    for (auto const& name : header) {
      auto const found = std::ranges::find(columns_, name);
      if (found == columns_.end()) {
        std::string all;
        for (auto const& column : columns_) all.append(column).append(" | ");
        return fail("no column " + name + " in " + all);
      }
      places.push_back(static_cast<std::size_t>(found - columns_.begin()));
    }
    if (header.size() != columns_.size()) return fail("other columns");
    std::vector<std::string> expected;
    std::vector<std::string> found;
    for (std::size_t i = 1; i < step.table.size(); ++i) {
      std::string line;
      for (auto const& cell : step.table[i]) line += canonical(std::string_view{cell}, sorts) + " | ";
      expected.push_back(std::move(line));
    }
    for (auto const& row : rows_) {
      std::string line;
      for (auto const place : places) line += canonical(row[place], sorts) + " | ";
      found.push_back(std::move(line));
    }
    if (!in_order) {
      std::ranges::sort(expected);
      std::ranges::sort(found);
    }
    if (expected == found) return;
    std::string text = "expected " + std::to_string(expected.size()) + " rows, found " + std::to_string(found.size());
    for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
      auto const left = i < expected.size() ? expected[i] : "-";
      auto const right = i < found.size() ? found[i] : "-";
      if (left == right) continue;
      text.append("; first: ").append(left).append(" <> ").append(right);
      break;
    }
    fail(text);
  }

  void expect_error(std::string const& text) {
    static std::regex const form{R"(an? (\w+) should be raised at (compile time|runtime|any time): (\S+))"};
    std::smatch match;
    if (!std::regex_match(text, match, form)) return fail("unknown step: " + text);
    if (!error_)
      return fail("expected " + match[1].str() + " " + match[3].str() + ", found " + std::to_string(rows_.size()) +
                  " rows");
    auto const phase = error_->is_compile_time ? "compile time" : "runtime";
    bool const is_same = name_of(error_->kind) == match[1].str() && (match[2] == "any time" || match[2] == phase) &&
                         (match[3] == "*" || match[3] == error_->detail);
    if (!is_same)
      fail("expected " + text + ", found " + std::string{name_of(error_->kind)} + " at " + phase + ": " +
           error_->detail + " (" + error_->message + ")");
    error_.reset();
  }

  Scenario const& scenario_;
  fs::path graphs_;
  RunResult outcome_;
  schema::NoInterrupt interrupt_;
  TckZones zones_;
  MemoryGraph graph_;
  Map params_;
  TableProcedures procedures_;
  std::string query_;
  std::optional<QueryError> error_;
  std::vector<std::string> columns_;
  std::vector<std::vector<Value>> rows_;
};

std::string json_text(std::string_view text) {
  std::string made = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') made += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      made += c == '\n' ? "\\n" : " ";
    } else {
      made += c;
    }
  }
  return made + "\"";
}

struct StatusCounts {
  int passed = 0, refused = 0, failed = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: cypher_tck FEATURES [LIST]\n";
    return 2;
  }
  fs::path const root{argv[1]};
  std::ofstream list;
  if (argc > 2) list.open(argv[2]);
  std::vector<fs::path> files;
  for (auto const& entry : fs::recursive_directory_iterator{root}) {
    if (entry.path().extension() == ".feature") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::map<std::string, StatusCounts> folders;
  StatusCounts all;
  StatusCounts runs;
  for (auto const& file : files) {
    auto const folder = fs::relative(file.parent_path(), root).string();
    auto const scenarios = parse_feature(file_text(file));
    for (std::size_t i = 0; i < scenarios.size();) {
      auto const& name = scenarios[i].name;
      RunResult whole;
      std::size_t examples = 0;
      for (; i < scenarios.size() && scenarios[i].name == name && (examples == 0 || scenarios[i].example > 1);
           ++i, ++examples) {
        auto const one = Run{scenarios[i], root / ".." / "graphs"}.run();
        ++(one.status == "passed" ? runs.passed : one.status == "refused" ? runs.refused : runs.failed);
        if (whole.status == "failed" || one.status == "passed") continue;
        whole = one;
        if (scenarios[i].example > 0)
          whole.reason = "example " + std::to_string(scenarios[i].example) + ": " + whole.reason;
      }
      auto& counts = folders[folder];
      for (auto* each : {&counts, &all})
        ++(whole.status == "passed" ? each->passed : whole.status == "refused" ? each->refused : each->failed);
      if (list) {
        list << "{\"feature\":" << json_text(fs::relative(file, root).string()) << ",\"scenario\":" << json_text(name)
             << ",\"runs\":" << examples << ",\"status\":\"" << whole.status
             << "\",\"reason\":" << json_text(whole.reason) << "}\n";
      }
    }
  }
  std::cout << "| folder | passed | refused | failed |\n|---|---|---|---|\n";
  for (auto const& entry : folders) {
    std::cout << "| " << entry.first << " | " << entry.second.passed << " | " << entry.second.refused << " | "
              << entry.second.failed << " |\n";
  }
  std::cout << "| all " << all.passed + all.refused + all.failed << " scenarios and outlines | " << all.passed << " | "
            << all.refused << " | " << all.failed << " |\n";
  std::cout << "| their " << runs.passed + runs.refused + runs.failed << " runs | " << runs.passed << " | "
            << runs.refused << " | " << runs.failed << " |\n";
  return all.failed == 0 ? 0 : 1;
}
