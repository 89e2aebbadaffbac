// The size of conversations on disk: exchanges of realistic text, written one by one.

#include "schema/xml/contract.hpp"
#include "store/upkeep/compact.hpp"
#include "tools/bench/data/prose.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace whence::bench {
namespace {

constexpr std::uint32_t exchanges = 1'000;
constexpr std::uint32_t exchanges_a_topic = 10;
constexpr std::size_t question_bytes = 250;
constexpr std::size_t response_bytes = 2'300;
constexpr double expected_megabytes = 4.3;  ///< for 1,000 messages, of the design that Whence follows

/// A message and the attachment that holds its text.
void append_message(std::string const& id, std::string const& topic, schema::XmlParts const& parts,
                    engine::WriteBatch& batch) {
  batch.records.push_back({.record = schema::XmlMessageAttachment{.topic_id = topic,
                                                                  .message_id = id,
                                                                  .xml = schema::xml::write(parts).value(),
                                                                  .format = schema::format_of(parts),
                                                                  .created_at = schema::EpochMs{1'700'000'000'000}}});
}

/// A question and its response with five keywords. `bytes` grows by their XML.
engine::WriteBatch exchange(std::uint32_t number, Prose& prose, std::size_t& bytes) {
  std::string const topic = "topic-" + std::to_string(number / exchanges_a_topic);
  std::string const id = "message-" + std::to_string(number);
  schema::QueryParts const query{.user_message = prose.text(question_bytes),
                                 .context = {.topic_id = topic, .message_count = number % exchanges_a_topic}};
  schema::SubjectPart subject{.name = "subject-" + topic, .description = prose.text(80), .is_new = true};
  for (int i = 0; i < 5; ++i) subject.keywords.push_back({prose.term(), 0.8});
  schema::ResponseParts const response{
      .response = prose.text(response_bytes),
      .analysis = {.subjects = {std::move(subject)}, .summary_update = prose.text(120)}};
  engine::WriteBatch batch;
  batch.ensure = true;
  append_message(id + "-question", topic, query, batch);
  append_message(id + "-response", topic, response, batch);
  for (auto const& written : batch.records) bytes += std::get<schema::XmlMessageAttachment>(written.record).xml->size();
  return batch;
}

}  // namespace

void run_disk(Options const& options) {
  Scratch const scratch(options.directory + "/disk");
  Prose prose;
  std::size_t xml_bytes = 0;
  std::uint64_t written = 0;
  {
    OpenEngine engine(scratch.file("whence"));
    for (std::uint32_t i = 0; i < exchanges; ++i) engine.write(exchange(i, prose, xml_bytes));
    written = engine->stats().file_bytes;
  }
  print_title("Disk of " + shown(exchanges) + " exchanges: two messages, two attachments, five keywords each");
  auto const show = [&](std::string figure, std::uint64_t bytes) {
    print({.figure = std::move(figure),
           .unit = "MB",
           .better = Better::lower,
           .whence = static_cast<double>(bytes) / 1e6,
           .others = {{"expected at most", expected_megabytes}, {"XML alone", static_cast<double>(xml_bytes) / 1e6}}});
  };
  show("store", written);
  show("compacted", store::compact(scratch.file("whence")).value().bytes_after);
}

}  // namespace whence::bench
