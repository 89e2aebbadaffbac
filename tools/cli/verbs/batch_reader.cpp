// Grouping lines into batches.

#include "tools/cli/verbs/batch_reader.hpp"

#include "schema/json/json.hpp"
#include "tools/cli/process/io.hpp"

#include <algorithm>
#include <istream>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool has_id(boost::json::value const& record) {
  boost::json::object const* const members = record.if_object();
  return members == nullptr || members->contains("id");  // anything but an object is refused later
}

bool is_true(boost::json::object const& object, std::string_view member) {
  boost::json::value const* const value = object.if_contains(member);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace

std::uint64_t Batch::line_of(std::size_t index) const {
  return is_gathered && index < record_lines.size() ? record_lines[index] : record_lines.front();
}

BatchReader::BatchReader(std::istream& in, bool ensure, BatchBounds bounds, std::string_view mode)
    : in_(in), bounds_(bounds) {
  if (ensure) head_ += R"("ensure":true,)";
  if (!mode.empty()) head_ += R"("mode":")" + std::string{mode} + R"(",)";
  head_ += R"("records":[)";
}

BatchReader::Line BatchReader::look_at(std::string text, std::uint64_t number) {
  Line line{.text = std::move(text), .number = number};
  Result<schema::json::Document> const parsed = schema::json::parse(line.text);
  if (!parsed) {
    line.problem = parsed.error().message;
    return line;
  }
  boost::json::object const* const object = parsed->value.if_object();
  if (object == nullptr) {
    line.problem = "neither a record nor a batch {\"records\":[...]}";
    return line;
  }
  boost::json::value const* const records = object->if_contains("records");
  line.is_batch = records != nullptr;
  if (!line.is_batch) {
    line.needs_key = !has_id(parsed->value);
  } else if (records->is_array()) {
    boost::json::array const& list = records->get_array();
    line.records = list.size();
    line.needs_key = !object->contains("idempotency_key") && !std::all_of(list.begin(), list.end(), has_id);
    line.is_dry_run = is_true(*object, "dry_run");
  }
  return line;
}

std::optional<BatchReader::Line> BatchReader::next_line() {
  if (ahead_) return std::exchange(ahead_, std::nullopt);
  std::string text;
  while (std::getline(in_, text)) {
    bytes_ += text.size() + 1;
    if (++line_number_ == 1 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    if (!is_blank(text)) return look_at(std::move(text), line_number_);
  }
  return std::nullopt;
}

Batch BatchReader::gather(Line first) {
  Batch batch{
      .params = head_, .record_lines = {first.number}, .records = 1, .is_gathered = true, .needs_key = first.needs_key};
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
    batch.needs_key = batch.needs_key || line->needs_key;
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
  return std::optional<Batch>{Batch{.params = std::move(line->text),
                                    .record_lines = {line->number},
                                    .records = line->records,
                                    .needs_key = line->needs_key,
                                    .is_dry_run = line->is_dry_run}};
}

}  // namespace whence::tools
