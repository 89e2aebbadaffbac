// Claim: whatever document is written, stored and read back, also after a restart, is the same byte for byte and says
// the same parts. Method: random valid documents of both formats from a printed seed, each the attachment of a message
// of its own; WHENCE_XML_DOCUMENTS says how many.

#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/random_parts.hpp"
#include "tests/support/seed.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

constexpr long batch_size = 100;

/// The text of a stored attachment.
std::string text_of(engine::Engine const& engine, std::string const& ref) {
  auto const attachment = record_of<schema::XmlMessageAttachment>(engine, ref);
  if (attachment.xml_content) return *attachment.xml_content;
  return engine.records().read_blob(schema::blob_digest(attachment.xml_blob.value()).value()).value().value();
}

struct StorageFixture : EngineFixture {
  std::vector<std::string> texts;
  std::vector<std::string> refs;

  void write_documents(std::vector<schema::XmlParts> const& parts) {
    auto given = ensured({});
    for (auto const& each : parts) {
      auto record = attachment("t" + std::to_string(texts.size() % 7), "m" + std::to_string(texts.size()), each);
      texts.push_back(*record.xml);
      given.records.push_back({.record = std::move(record)});
    }
    for (auto& ref : engine->write(std::move(given)).value().refs) refs.push_back(std::move(ref));
  }
};

BOOST_FIXTURE_TEST_CASE(random_documents_come_back_byte_for_byte, StorageFixture) {
  long const count = schema::xml::test::documents_to_make(2'000);
  auto const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  schema::xml::test::RandomParts random{seed};
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    std::vector<schema::XmlParts> parts;
    for (long done = 0; done < count; done += batch_size) {
      std::vector<schema::XmlParts> batch;
      for (long i = 0; i < batch_size; ++i) batch.push_back(random.next());
      write_documents(batch);
      parts.insert(parts.end(), batch.begin(), batch.end());
    }
    reopen();
    for (std::size_t i = 0; i < refs.size(); ++i) {
      auto const text = text_of(*engine, refs[i]);
      BOOST_REQUIRE(text == texts[i]);
      BOOST_REQUIRE(schema::xml::read(text).value().parts == parts[i]);
    }
  }
}

}  // namespace
}  // namespace whence::test
