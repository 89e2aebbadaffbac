// Conversations of XML responses: the rate of writing, and the cost of a look-up among few and among many.

#include "queries/render/answer.hpp"
#include "queries/render/conversation.hpp"
#include "queries/render/lineage.hpp"
#include "schema/xml/contract.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace whence::bench {
namespace {

constexpr std::uint32_t few = 1'000;
constexpr std::uint32_t messages_a_topic = 100;
constexpr std::uint32_t terms_a_topic = 50;
constexpr std::uint32_t batch_size = 100;
constexpr int lookups = 10'000;

std::string topic_of(std::uint32_t message) {
  return "topic-" + std::to_string(message / messages_a_topic);
}

/// Two subjects of three keywords each; a topic's terms recur only in it.
schema::ResponseParts parts_of(std::uint32_t message) {
  schema::ResponseParts parts{.response = std::string(600, 'x'), .analysis = {.summary_update = "More was said."}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    schema::SubjectPart subject{.name = "subject-" + std::to_string((message + i) % 10), .description = "a subject"};
    for (std::uint32_t k = 0; k < 3; ++k) {
      auto const term = (message * 7 + i * 3 + k) % terms_a_topic;
      subject.keywords.push_back({topic_of(message) + "-term-" + std::to_string(term), 0.8});
    }
    parts.analysis.subjects.push_back(std::move(subject));
  }
  return parts;
}

engine::WriteBatch batch_of(std::uint32_t first, std::uint32_t count) {
  engine::WriteBatch batch;
  batch.ensure = true;
  for (std::uint32_t message = first; message < first + count; ++message) {
    batch.records.push_back(
        {.record = schema::XmlMessageAttachment{.topic_id = topic_of(message),
                                                .message_id = "message-" + std::to_string(message),
                                                .xml = schema::xml::write(parts_of(message)).value(),
                                                .format = schema::XmlFormat::llm_response,
                                                .created_at = schema::EpochMs{1'700'000'000'000 + message}}});
  }
  return batch;
}

void must_answer(Result<queries::PageSource> const& answer) {
  if (!answer) throw std::runtime_error(answer.error().message);
  std::string text;
  schema::json::Writer out{text};
  for (auto const& list : answer->lists) {
    if (!list.write(out.begin_array(), 0, list.size)) throw std::runtime_error("a look-up failed");
    out.end_array();
  }
}

/// The figures of one store of `count` attachments.
struct Figures {
  double written_a_second = 0;
  double by_message_us = 0;
  double trace_us = 0;
};

Figures measure(std::string const& directory, std::uint32_t count, unsigned repeats) {
  OpenEngine engine(directory);
  std::vector<engine::WriteBatch> batches;
  for (std::uint32_t first = 0; first < count; first += batch_size) batches.push_back(batch_of(first, batch_size));
  Stopwatch const watch;
  for (auto& batch : batches) engine.write(std::move(batch));
  Figures figures{.written_a_second = count / watch.seconds()};

  queries::View const view{engine->snapshot(), &engine->records()};
  schema::NoInterrupt const interrupt;
  queries::Budget const budget{interrupt, UINT64_MAX};
  std::mt19937 random{1};
  figures.by_message_us = 1e6 / lookups * median_seconds(repeats, [&] {
                            for (int i = 0; i < lookups; ++i) {
                              must_answer(queries::answer<&queries::attachment_list>(
                                  view, {.message_id = "message-" + std::to_string(random() % count)}, 1, budget));
                            }
                          });
  figures.trace_us = 1e6 / lookups * median_seconds(repeats, [&] {
                       for (int i = 0; i < lookups; ++i) {
                         auto const message = static_cast<std::uint32_t>(random() % count);
                         queries::NodeRef const keyword{schema::RecordType::keyword, topic_of(message) + "-term-1"};
                         must_answer(queries::answer<&queries::trace>(view, {.ref = keyword}, 1, budget));
                       }
                     });
  return figures;
}

}  // namespace

void run_attachments(Options const& options) {
  auto const many = options.responses / messages_a_topic * messages_a_topic;
  Scratch const scratch(options.directory + "/attachments");
  auto const small = measure(scratch.file("few"), few, options.repeats);
  auto const large = measure(scratch.file("many"), many, options.repeats);
  print_title("Attachments, " + shown(many) + " compared with " + shown(few) + ", in topics of " +
              shown(messages_a_topic));
  std::string const among = "among " + shown(few);
  print({.figure = "written with all extracted records, durable batches of " + shown(batch_size),
         .unit = "1/s",
         .better = Better::higher,
         .whence = large.written_a_second,
         .others = {{among, small.written_a_second}}});
  print({.figure = "attachment of a message",
         .unit = "us",
         .better = Better::lower,
         .whence = large.by_message_us,
         .others = {{among, small.by_message_us}}});
  print({.figure = "trace of a keyword to its attachments",
         .unit = "us",
         .better = Better::lower,
         .whence = large.trace_us,
         .others = {{among, small.trace_us}}});
}

}  // namespace whence::bench
