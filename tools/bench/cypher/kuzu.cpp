// The dataset goes there as CSV files, questions go through a named pipe, answers come from the output of node. Without
// WHENCE_KUZU, which names the folder where npm installed it, there is no such peer.

#include "tools/bench/cypher/kuzu.hpp"

#include "schema/base/time.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <sys/stat.h>

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

std::unique_ptr<Kuzu> Kuzu::start(Dataset const& data, std::vector<KuzuQuestion> const& questions,
                                  std::string const& directory, unsigned repeats) {
  char const* const folder = std::getenv("WHENCE_KUZU");
  if (folder == nullptr) return nullptr;
  write_files(data, questions, directory);
  auto const pipe = directory + "/ask";
  if (mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR) != 0) return nullptr;
  std::signal(SIGPIPE, SIG_IGN);  // a peer that ended gives no answer
  std::string const command = "node '" WHENCE_BENCH_SCRIPTS "/cypher/kuzu.mjs' '" + std::string{folder} + "' '" +
                              directory + "' " + std::to_string(repeats) + " < '" + pipe + "'";
  std::unique_ptr<Kuzu> made{new Kuzu};
  made->answers_ = popen(command.c_str(), "r");
  if (made->answers_ == nullptr) return nullptr;
  made->questions_.open(pipe);
  return made->line() == "ready" ? std::move(made) : nullptr;
}

Kuzu::~Kuzu() {
  questions_.close();
  if (answers_ != nullptr) pclose(answers_);
}

std::string Kuzu::line() {
  std::string text;
  for (int next = std::fgetc(answers_); next != EOF && next != '\n'; next = std::fgetc(answers_))
    text += static_cast<char>(next);
  return text;
}

KuzuAnswer Kuzu::ask(std::string const& name) {
  questions_ << name << std::endl;
  auto const text = line();
  auto const first = text.find('\t');
  auto const second = text.find('\t', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return {.seconds = std::nullopt, .answer = "no answer"};
  auto const seconds = text.substr(0, first);
  KuzuAnswer answer{.seconds = std::nullopt,
                    .processor_seconds = std::stod(text.substr(first + 1, second - first - 1)),
                    .answer = text.substr(second + 1)};
  if (seconds != "failed") answer.seconds = std::stod(seconds);
  return answer;
}

}  // namespace whence::bench
