#include "tools/bench/cypher/kuzu.hpp"

#include "schema/base/time.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace whence::bench {
namespace {

void write_files(Dataset const& data, std::vector<KuzuQuestion> const& questions, std::string const& directory) {
  std::filesystem::create_directories(directory);
  std::ofstream nodes(directory + "/nodes.csv");
  std::ofstream influences(directory + "/influences.csv");
  std::ofstream uses(directory + "/uses.csv");
  for (Dataset::Row const& row : data.rows) {
    nodes << row.key << ',' << row.id << ',' << (row.agent.empty() ? "unit" : "response") << ',' << row.agent << ','
          << schema::format_rfc3339(row.at) << '\n';
  }
  for (Dataset::Edge const& edge : data.edges) {
    influences << edge.cause << ',' << edge.effect << '\n';
    if (edge.is_use) uses << edge.cause << ',' << edge.effect << '\n';
  }
  boost::json::array list;
  for (KuzuQuestion const& question : questions) {
    boost::json::object params;
    for (auto const& [name, value] : question.params) params[name] = value;
    list.push_back(boost::json::object{{"name", question.name}, {"text", question.text}, {"params", params}});
  }
  std::ofstream{directory + "/questions.json"} << boost::json::serialize(list);
}

}  // namespace

std::optional<std::map<std::string, KuzuAnswer>> ask_kuzu(Dataset const& data,
                                                          std::vector<KuzuQuestion> const& questions,
                                                          std::string const& directory, unsigned repeats) {
  char const* const folder = std::getenv("WHENCE_KUZU");
  if (folder == nullptr) return std::nullopt;
  write_files(data, questions, directory);
  std::string const command = "node '" WHENCE_BENCH_SCRIPTS "/cypher/kuzu.mjs' '" + std::string{folder} + "' '" +
                              directory + "' " + std::to_string(repeats);
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe{popen(command.c_str(), "r"), pclose};
  if (!pipe) return std::nullopt;
  std::string text;
  std::array<char, 4096> block{};
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe.get())) > 0;)
    text.append(block.data(), got);
  std::map<std::string, KuzuAnswer> answers;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    auto const first = line.find('\t');
    auto const second = line.find('\t', first + 1);
    auto const third = line.find('\t', second + 1);
    if (first == std::string::npos || second == std::string::npos || third == std::string::npos) continue;
    auto const seconds = line.substr(first + 1, second - first - 1);
    KuzuAnswer answer{.seconds = std::nullopt,
                      .processor_seconds = std::stod(line.substr(second + 1, third - second - 1)),
                      .answer = line.substr(third + 1)};
    if (seconds != "failed") answer.seconds = std::stod(seconds);
    answers[line.substr(0, first)] = std::move(answer);
  }
  if (answers.empty()) return std::nullopt;
  return answers;
}

}  // namespace whence::bench
