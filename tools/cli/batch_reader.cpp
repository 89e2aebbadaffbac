// Lines to batches.

#include "tools/cli/batch_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <istream>
#include <utility>

#include "schema/json/json.hpp"

namespace whence::tools {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::uint64_t Batch::line_of(std::size_t index) const {
  return is_gathered && index < record_lines.size() ? record_lines[index] : record_lines.front();
}

BatchReader::BatchReader(std::istream& in, bool ensure, BatchBounds bounds)
    : in_(in), ensure_(ensure), bounds_(bounds) {}

std::optional<BatchReader::Line> BatchReader::next_line() {
  if (ahead_) return std::exchange(ahead_, std::nullopt);
  std::string text;
  while (std::getline(in_, text)) {
    bytes_ += text.size() + 1;
    ++line_number_;
    if (is_blank(text)) continue;
    Line line{.text = {}, .number = line_number_, .records = 0, .is_batch = false, .problem = {}};
    Result<schema::json::Document> const parsed = schema::json::parse(text);
    if (!parsed) {
      line.problem = parsed.error().message;
    } else if (!parsed->value.is_object()) {
      line.problem = "neither a record nor a batch {\"records\":[...]}";
    } else if (auto const* records = parsed->value.get_object().if_contains("records"); records != nullptr) {
      line.is_batch = true;
      line.records = records->is_array() ? records->get_array().size() : 0;
    }
    line.text = std::move(text);
    return line;
  }
  return std::nullopt;
}

Batch BatchReader::gather(Line first) {
  Batch batch{.params = ensure_ ? R"({"ensure":true,"records":[)" : R"({"records":[)",
              .record_lines = {first.number},
              .records = 1,
              .is_gathered = true};
  batch.params += first.text;
  while (batch.records < bounds_.records_max) {
    std::optional<Line> line = next_line();
    if (!line) break;
    if (line->is_batch || !line->problem.empty() || batch.params.size() + line->text.size() > bounds_.bytes_max) {
      ahead_ = std::move(line);
      break;
    }
    batch.params += ',';
    batch.params += line->text;
    batch.record_lines.push_back(line->number);
    ++batch.records;
  }
  batch.params += "]}";
  return batch;
}

Result<std::optional<Batch>> BatchReader::next() {
  std::optional<Line> line = next_line();
  if (!line) return std::optional<Batch>{};
  if (!line->problem.empty()) {
    return Error{.code = Errc::invalid_params,
                 .message = "line " + std::to_string(line->number) + ": " + line->problem};
  }
  if (!line->is_batch) return std::optional<Batch>{gather(std::move(*line))};
  return std::optional<Batch>{
      Batch{.params = std::move(line->text), .record_lines = {line->number}, .records = line->records}};
}

}  // namespace whence::tools
