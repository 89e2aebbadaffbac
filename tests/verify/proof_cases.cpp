// Prints cases for verifiers, a JSON object a line: true bundles, and bundles of which a part was flipped, swapped,
// reordered, truncated, forked or replayed, each with what this engine's verifier says of it.
//   proof_cases bundles SEED COUNT    such cases
//   proof_cases report KEY...         of the bundle that standard input has: the report
//   proof_cases ed25519               of lines `KEY MESSAGE SIGNATURE` in hex (- is nothing): 1 or 0
#include "schema/encoding/base64.hpp"
#include "schema/json/writer.hpp"
#include "schema/proof/bundle.hpp"
#include "schema/types/ref.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::test {
namespace {

using namespace schema;
using namespace schema::proof;

using Random = std::mt19937_64;

Digest random_digest(Random& random) {
  Digest digest;
  for (auto& each : digest.bytes) each = static_cast<std::uint8_t>(random());
  return digest;
}

SigningKey random_key(std::string name, Random& random, SignatureType type = SignatureType::ed25519) {
  return SigningKey::make(std::move(name), random_digest(random).bytes, type).value();
}

std::string random_text(Random& random) {
  constexpr std::string_view pieces[] = {"a",          "{",      "}", "\"", "\\", "\n", "\u00FC",
                                         "\U0001F600", "\u2028", "/", "%",  ",",  " "};
  std::string text;
  for (auto length = random() % 30; length > 0; --length) text.append(pieces[random() % std::size(pieces)]);
  return text;
}

/// A leaf with what it commits to.
struct Leaf {
  std::string ref;
  std::string line;
  std::optional<ShownRecord> record;
  bool is_written;
};

/// A record of one of the forms that ids take.
std::pair<std::string, std::string> random_record(Random& random) {
  std::string const id = to_hex(random_digest(random)).substr(0, 12);
  std::string json;
  json::Writer out{json};
  auto const number = random() % 1000;
  out.begin_object();
  std::string ref;
  switch (random() % 6) {
    case 0:
      out.member("$type$", "Response").member("id", std::string_view{id});
      ref = "Response:" + id;
      break;
    case 1: {
      auto const term = id + random_text(random);
      out.member("$type$", "Keyword").member("term", std::string_view{term});
      ref = "Keyword:" + term;
      break;
    }
    case 2: {
      auto const topic = id + random_text(random);
      out.member("$type$", "Subject").member("id", "a/%b").member("topic", std::string_view{topic});
      ref = "Subject:" + join_key({topic, "a/%b"});
      break;
    }
    case 3:
      out.member("$type$", "DiscussionRound").member("userId", "u").member("discussionId", std::string_view{id});
      out.member("roundNumber", std::uint64_t{number});
      ref = "DiscussionRound:u/" + id + '/' + std::to_string(number);
      break;
    case 4:
      out.member("$type$", "XMLMessageAttachment");
      ref = "XMLMessageAttachment:" + id;
      break;
    default:
      out.member("$type$", "Future").member("id", std::string_view{id});
      ref = "Future:" + id;
  }
  out.member("content", std::string_view{random_text(random)}).member("score", 0.25).end_object();
  return {ref, json};
}

Leaf random_leaf(Random& random, std::size_t tx, std::vector<Leaf> const& before) {
  Leaf leaf{.ref = {}, .line = {}, .record = {}, .is_written = before.empty() || random() % 8 != 0};
  auto made = random_record(random);
  leaf.ref = leaf.is_written ? made.first : before[random() % before.size()].ref;
  json::Writer out{leaf.line};
  out.begin_object()
      .member("tx", std::uint64_t{tx})
      .member("at", "2025-10-11T12:00:00." + std::to_string(1 + tx) + "Z");
  constexpr std::string_view ends[] = {"delete", "expire", "status"};
  out.member("op", leaf.is_written ? (random() % 4 == 0 ? "version" : "put") : ends[random() % std::size(ends)]);
  out.member("ref", std::string_view{leaf.ref});
  if (leaf.is_written) {
    out.key("edges").begin_array();
    for (auto edges = random() % 3; edges > 0 && !before.empty(); --edges) {
      out.begin_object().member("from", std::string_view{before[random() % before.size()].ref});
      out.member("to", std::string_view{leaf.ref}).member("type", "USED_IN").member("weight", 0.5).end_object();
    }
    out.end_array();
    if (random() % 5 != 0) {
      leaf.record = ShownRecord{.salt = random_digest(random), .json = std::move(made.second)};
      out.member("commitment", std::string_view{to_hex(commitment_of(leaf.record->salt, leaf.record->json))});
    }
  }
  out.end_object();
  return leaf;
}

/// A log with the hashes of its leaves, and any tree of it.
struct Log {
  std::string origin;
  std::vector<Leaf> leaves;

  [[nodiscard]] Digest root(std::size_t begin, std::size_t end) const {
    if (begin == end) return empty_root();
    if (end - begin == 1) return leaf_hash(leaves[begin].line);
    std::size_t k = 1;
    while (2 * k < end - begin) k *= 2;
    return node_hash(root(begin, begin + k), root(begin + k, end));
  }
  [[nodiscard]] Result<Digest> node(Subtree at) const { return root(at.index << at.level, (at.index + 1) << at.level); }
  [[nodiscard]] std::vector<Digest> proof(std::size_t index, std::size_t size) const {
    return inclusion_proof(index, size, [this](Subtree at) { return node(at); }).value();
  }
  [[nodiscard]] TreeBefore before(std::size_t first, std::size_t size) const {
    return {.tree = {.size = first, .root = root(0, first)},
            .proof = consistency_proof(first, size, [this](Subtree at) { return node(at); }).value()};
  }
  [[nodiscard]] std::string text(std::size_t size) const {
    return format_checkpoint({.origin = origin, .tree = {.size = size, .root = root(0, size)}});
  }
};

std::string signed_text(std::string const& text, std::vector<SigningKey> const& keys) {
  SignedNote note{.text = text, .signatures = {}};
  for (SigningKey const& key : keys) note.signatures.push_back(key.sign(text, 1'700'000'000));
  return format_note(note);
}

/// What a bundle is made of, and what its reader trusts.
struct World {
  Log log;
  std::size_t size;  ///< of the checkpoint
  std::vector<SigningKey> signers;
  std::vector<VerifierKey> trusted;
  Bundle bundle;
  std::size_t key_changes = 0;  ///< the first leaves, each of which hands the log over to another key
};

BundleEvent event_of(World const& world, std::size_t index, bool is_shown) {
  Leaf const& leaf = world.log.leaves[index];
  return {.index = index,
          .line = leaf.line,
          .proof = world.log.proof(index, world.size),
          .record = is_shown ? leaf.record : std::nullopt};
}

/// A leaf whose record has a note in which `signer` hands the log `origin` over to `next`.
Leaf key_change_leaf(std::string const& origin, SigningKey const& signer, VerifierKey const& next, Random& random) {
  TreeHead const tree{.size = random() % 100, .root = random_digest(random)};
  auto const note = signed_text(format_key_change({.origin = origin, .tree = tree}, next), {signer});
  Leaf leaf{.ref = "ProvEntity:urn:whence-log-key:" + next.text(), .line = {}, .record = {}, .is_written = true};
  std::string record;
  json::Writer{record}
      .begin_object()
      .member("$type$", "ProvEntity")
      .key("attributes")
      .begin_object()
      .member(key_change_attribute, std::string_view{note})
      .end_object()
      .end_object();
  leaf.record = ShownRecord{.salt = random_digest(random), .json = std::move(record)};
  json::Writer{leaf.line}
      .begin_object()
      .member("tx", std::uint64_t{1})
      .member("at", "2025-10-11T12:00:00Z")
      .member("op", "put")
      .member("ref", std::string_view{leaf.ref})
      .member("commitment", std::string_view{to_hex(commitment_of(leaf.record->salt, leaf.record->json))})
      .end_object();
  return leaf;
}

World random_world(Random& random) {
  World world{.log = {.origin = "whence/" + std::to_string(random() % 100), .leaves = {}},
              .size = 0,
              .signers = {},
              .trusted = {},
              .bundle = {}};
  world.signers.push_back(random_key(world.log.origin, random));
  world.trusted.push_back(world.signers.front().verifier());
  world.key_changes = random() % 4 == 0 ? 1 + random() % 2 : 0;
  for (std::size_t i = 0; i < world.key_changes; ++i) {
    auto next = random_key(world.log.origin, random);
    world.log.leaves.push_back(key_change_leaf(world.log.origin, world.signers.front(), next.verifier(), random));
    world.signers.front() = std::move(next);
  }
  auto const leaves = 2 + random() % (random() % 4 == 0 ? 200 : 12);
  for (std::size_t i = 0; i < leaves; ++i) world.log.leaves.push_back(random_leaf(random, i + 1, world.log.leaves));
  world.size = 1 + world.key_changes + random() % leaves;
  if (random() % 3 == 0) {
    world.signers.push_back(random_key(world.log.origin, random));  // of another node: not known to the reader
    if (random() % 2 == 0) std::swap(world.signers.front(), world.signers.back());
  }
  if (random() % 3 == 0) world.trusted.insert(world.trusted.begin(), random_key("other", random).verifier());
  world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
  for (std::size_t i = 0; i < world.size; ++i) {
    bool const is_needed = i <= world.key_changes;  // the leaf after them writes a record
    bool const is_taken = is_needed || random() % 2 == 0;
    if (is_taken && world.bundle.events.size() < 12)
      world.bundle.events.push_back(event_of(world, i, i < world.key_changes || random() % 4 != 0));
  }
  world.bundle.about = world.log.leaves[0].ref;
  return world;
}

void flip_digest(Digest& digest, Random& random) {
  digest.bytes[random() % 32] ^= static_cast<std::uint8_t>(1U << random() % 8);
}

/// Another printable character at some place; nothing of an empty text.
void flip_text(std::string& text, Random& random) {
  if (text.empty()) return;
  auto at = random() % text.size();
  while (static_cast<unsigned char>(text[at]) >= 0x80) at = at == 0 ? text.size() - 1 : at - 1;  // all texts have ASCII
  char& c = text[at];
  c = static_cast<char>(c == '~' ? '!' : c < ' ' ? '!' : c + 1);
}

using Tamper = std::function<std::string(World&, Random&)>;  ///< gives the text of the bundle

/// The signature of a key that the reader does not know may be any.
void sign_alone(World& world, Random& random) {
  world.signers = {random_key(world.log.origin, random)};
  world.trusted = {world.signers.front().verifier()};
  world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
}

BundleEvent& some_event(World& world, Random& random) {
  return world.bundle.events[random() % world.bundle.events.size()];
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  auto const at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Changes a bundle as parts.
template <class Change>
Tamper of_parts(Change change) {
  return [change](World& world, Random& random) {
    change(world, random);
    return format_bundle(world.bundle);
  };
}

std::vector<std::pair<std::string, Tamper>> const& tampers() {
  static std::vector<std::pair<std::string, Tamper>> const list = {
      {"flipped line", of_parts([](World& world, Random& random) { flip_text(some_event(world, random).line, random); })},
      {"flipped proof", of_parts([](World& world, Random& random) {
         auto& proof = some_event(world, random).proof;
         if (!proof.empty()) flip_digest(proof[random() % proof.size()], random);
       })},
      {"flipped record", of_parts([](World& world, Random& random) {
         auto& record = some_event(world, random).record;
         if (record) flip_text(record->json, random);
       })},
      {"flipped salt", of_parts([](World& world, Random& random) {
         auto& record = some_event(world, random).record;
         if (record) flip_digest(record->salt, random);
       })},
      {"flipped about", of_parts([](World& world, Random& random) { flip_text(world.bundle.about, random); })},
      {"flipped checkpoint", of_parts([](World& world, Random& random) {
         sign_alone(world, random);
         flip_text(world.bundle.checkpoint, random);
       })},
      {"flipped index", of_parts([](World& world, Random& random) { some_event(world, random).index ^= std::uint64_t{1} << random() % 50; })},
      {"flipped byte", [](World& world, Random& random) {
         sign_alone(world, random);
         auto text = format_bundle(world.bundle);
         flip_text(text, random);
         return text;
       }},
      {"flipped bit", [](World& world, Random& random) {
         sign_alone(world, random);
         auto text = format_bundle(world.bundle);
         text[random() % text.size()] ^= static_cast<char>(1U << random() % 8);
         return text;
       }},
      {"swapped lines", of_parts([](World& world, Random& random) {
         std::swap(some_event(world, random).line, some_event(world, random).line);
       })},
      {"swapped proofs", of_parts([](World& world, Random& random) {
         std::swap(some_event(world, random).proof, some_event(world, random).proof);
       })},
      {"swapped records", of_parts([](World& world, Random& random) {
         auto& one = some_event(world, random).record;
         auto& other = some_event(world, random).record;
         if (one && other) std::swap(*one, *other);
       })},
      {"swapped indexes", of_parts([](World& world, Random& random) {
         std::swap(some_event(world, random).index, some_event(world, random).index);
       })},
      {"reordered events", of_parts([](World& world, Random& random) {
         std::swap(some_event(world, random), some_event(world, random));
       })},
      {"reordered proof", of_parts([](World& world, Random& random) {
         auto& proof = some_event(world, random).proof;
         if (!proof.empty()) std::swap(proof[random() % proof.size()], proof[random() % proof.size()]);
       })},
      {"truncated proof", of_parts([](World& world, Random& random) {
         auto& proof = some_event(world, random).proof;
         if (!proof.empty()) proof.erase(proof.begin() + static_cast<std::ptrdiff_t>(random() % proof.size()));
       })},
      {"longer proof", of_parts([](World& world, Random& random) {
         some_event(world, random).proof.push_back(random_digest(random));
       })},
      {"truncated line", of_parts([](World& world, Random& random) { some_event(world, random).line.pop_back(); })},
      {"truncated record", of_parts([](World& world, Random& random) {
         auto& record = some_event(world, random).record;
         if (record) record->json.pop_back();
       })},
      {"truncated text", [](World& world, Random& random) {
         auto text = format_bundle(world.bundle);
         text.resize(random() % text.size());
         return text;
       }},
      {"without what it is about", of_parts([](World& world, Random&) { world.bundle.events.erase(world.bundle.events.begin()); })},
      {"without salt", [](World& world, Random& random) {
         auto const salt = random_digest(random);
         Leaf& leaf = world.log.leaves[0];
         if (leaf.record) world.bundle.events[0].record = ShownRecord{salt, leaf.record->json};
         return replaced(format_bundle(world.bundle), ",\"salt\":\"" + format_hash(salt) + '"', "");
       }},
      {"record without commitment", of_parts([](World& world, Random& random) {
         for (BundleEvent& each : world.bundle.events) {
           if (!world.log.leaves[each.index].record) each.record = ShownRecord{random_digest(random), "{}"};
         }
       })},
      {"forked line", of_parts([](World& world, Random& random) {
         auto const at = random() % world.size;
         world.log.leaves[at].line = replaced(world.log.leaves[at].line, "\"tx\":", "\"tx\":1");
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.record.has_value());
       })},
      {"forked by a stranger", of_parts([](World& world, Random& random) {
         world.log.leaves[0].line = replaced(world.log.leaves[0].line, "\"tx\":", "\"tx\":1");
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.record.has_value());
         world.bundle.checkpoint = signed_text(world.log.text(world.size), {random_key(world.log.origin, random)});
       })},
      {"forked under the old signature", of_parts([](World& world, Random&) {
         auto note = parse_note(world.bundle.checkpoint).value();
         world.log.leaves[0].line = replaced(world.log.leaves[0].line, "\"tx\":", "\"tx\":1");
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.record.has_value());
         note.text = world.log.text(world.size);
         world.bundle.checkpoint = format_note(note);
       })},
      {"replayed checkpoint", of_parts([](World& world, Random&) {
         world.bundle.checkpoint = signed_text(world.log.text(world.bundle.events.back().index), world.signers);
       })},
      {"checkpoint of another size", of_parts([](World& world, Random& random) {
         auto const size = random() % (world.log.leaves.size() + 1);
         if (size != world.size) world.bundle.checkpoint = signed_text(world.log.text(size), world.signers);
       })},
      {"checkpoint of another log", of_parts([](World& world, Random&) {
         world.log.origin += "0";
         world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
       })},
      {"replayed event", of_parts([](World& world, Random& random) {
         auto again = some_event(world, random);
         world.bundle.events.push_back(std::move(again));
       })},
      {"signature of a stranger", of_parts([](World& world, Random& random) {
         world.bundle.checkpoint = signed_text(world.log.text(world.size), {random_key(world.log.origin, random)});
       })},
      {"handed over by a stranger", of_parts([](World& world, Random& random) {
         auto const stranger = random_key(world.log.origin, random);
         world.signers = {random_key(world.log.origin, random)};
         world.log.leaves[0] = key_change_leaf(world.log.origin, stranger, world.signers[0].verifier(), random);
         world.bundle.about = world.log.leaves[0].ref;
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.index == 0 || each.record);
         world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
       })},
      {"handed over to another log", of_parts([](World& world, Random& random) {
         auto const key = random_key(world.log.origin, random);
         world.trusted = {key.verifier()};
         world.signers = {random_key(world.log.origin + "0", random)};
         world.log.leaves[0] = key_change_leaf(world.log.origin, key, world.signers[0].verifier(), random);
         world.log.origin += random() % 2 == 0 ? "0" : "";
         world.bundle.about = world.log.leaves[0].ref;
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.index == 0 || each.record);
         world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
       })},
      {"keys of others", of_parts([](World& world, Random& random) {
         world.trusted = {random_key(world.log.origin, random).verifier()};
       })},
      {"record of another type", of_parts([](World& world, Random& random) {
         // The log itself committed to a record under a ref of another type.
         Leaf& leaf = world.log.leaves[0];
         leaf.record = ShownRecord{random_digest(random), random_record(random).second};
         auto const commitment = to_hex(commitment_of(leaf.record->salt, leaf.record->json));
         leaf.ref = "Topic:" + commitment.substr(0, 8);
         leaf.line = R"({"tx":1,"at":"2025-10-11T12:00:00Z","op":"put","ref":")" + leaf.ref + R"(","commitment":")" +
                     commitment + R"("})";
         world.bundle.about = leaf.ref;
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.index == 0 || each.record);
         world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
       })},
      {"leaf that is no event", of_parts([](World& world, Random& random) {
         constexpr std::string_view lines[] = {
             "", "{", "[]", "{}", "{\"tx\":1,\"at\":\"\",\"op\":\"put\"}", R"({"tx":1.0,"at":"","op":"put","ref":"a"})",
             R"({"tx":-1,"at":"","op":"put","ref":"a"})", R"({"tx":1,"at":"","op":"put","ref":"a","ref":"b"})",
             R"({"tx":1,"at":"","op":"put","ref":"a","edges":{}})", R"({"tx":1,"at":"","op":"put","ref":"a","edges":[1]})",
             R"({"tx":1,"at":"","op":"put","ref":"a","edges":[{"from":"a","to":"b"}]})",
             R"({"tx":1,"at":"","op":"put","ref":"a","commitment":null})",
             R"({"tx":1,"at":"","op":"put","ref":"a","commitment":"00"})", R"({"tx":1,"at":"","op":"put","ref":"\ud800"})",
             "{\"tx\":1,\n\"at\":\"\",\"op\":\"put\",\"ref\":\"a\"}", R"({"tx":1,"at":"","op":"put","ref":"a","x":1e999})",
             R"({"tx":1,"at":"","op":"put","ref":"a","x":NaN})", R"({"tx":9007199254740992,"at":"","op":"put","ref":"a"})"};
         world.log.leaves[0].line = lines[random() % std::size(lines)];
         world.log.leaves[0].record = std::nullopt;
         for (BundleEvent& each : world.bundle.events) each = event_of(world, each.index, each.record.has_value());
         world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
       })},
      {"another form", [](World& world, Random&) {
         auto const text = format_bundle(world.bundle);
         constexpr std::pair<std::string_view, std::string_view> forms[] = {
             {"{\"format\"", "{\"more\":1,\"format\""}, {"{\"index\":0", "{\"more\":1,\"index\":0"},
             {"{\"format\"", "{\"about\":\"x\",\"format\""}, {"{\"index\":0", "{\"index\":0,\"index\":0"},
             {"proof-1", "proof-2"}, {"\"index\":0", "\"index\":0.0"}, {"\"index\":0", "\"index\":0e1"},
             {"\"index\":0", "\"index\":\"0\""}, {"\"index\":0", "\"index\":-1"}, {"\"index\":0", "\"index\":9007199254740992"},
             {"\"index\":0", "\"index\":00"}, {"\"index\":0", "\"index\":null"}, {"\"index\":0,", ""},
             {"\"proof\":[", "\"proof\":[1,"}, {"\"proof\":[", "\"proof\":[\"\","}, {"\"line\":\"", "\"line\":[],\"more\":\""},
             {"\"events\":[", "\"events\":[1,"}, {"\"events\":[", "\"events\":[],\"more\":["}, {"\"events\":[", "\"events\":{},\"more\":["},
             {"\"checkpoint\":\"", "\"checkpoint\":1,\"more\":\""}, {"\"about\":\"", "\"about\":1,\"more\":\""},
             {"\"line\":\"", "\"line\":\"\\ud800"}, {"\"line\":\"", "\"line\":\"\xff"}, {"{\"format\"", "\xef\xbb\xbf{\"format\""},
             {"{\"format\"", "{\"format\":1e999,\"format\""}, {"{\"format\"", "{,\"format\""}, {"{\"format\"", "[{\"format\""}};
         static std::size_t turn = 0;  // so that none is left out by chance
         auto const& form = forms[turn++ % std::size(forms)];
         return replaced(text, form.first, form.second);
       }},
      {"too deep", [](World& world, Random& random) {
         std::size_t const depth = 63 + random() % 40;
         return replaced(format_bundle(world.bundle), "{\"format\"",
                         "{\"more\":" + std::string(depth, '[') + std::string(depth, ']') + ",\"format\"");
       }},
  };
  return list;
}

/// The certificate of an erasure that the leaf `index` records: it says that `purges` leaves before it belong to it.
void certify(World& world, std::size_t index, std::string const& purges, std::size_t before) {
  Leaf& leaf = world.log.leaves[index];
  leaf.line.pop_back();
  leaf.line += purges + "}";
  world.bundle.checkpoint = signed_text(world.log.text(world.size), world.signers);
  world.bundle.events = {event_of(world, index, true)};
  world.bundle.about = leaf.ref;
  world.bundle.before = world.log.before(before, world.size);
}

std::string purges_of(std::size_t count) {
  return ",\"purges\":" + std::to_string(count);
}

World certificate_world(Random& random) {
  auto world = random_world(random);
  // Its only event hands over to no later key: the keys that signed are known.
  world.trusted.clear();
  for (auto const& signer : world.signers) world.trusted.push_back(signer.verifier());
  auto& leaves = world.log.leaves;
  while (leaves.size() < 4) leaves.push_back(random_leaf(random, leaves.size() + 1, leaves));
  auto const index = 2 + random() % (leaves.size() - 2);
  do {
    leaves[index] = random_leaf(random, index + 1, {});
  } while (!leaves[index].record || leaves[index].line.find("\"op\":\"put\"") == std::string::npos);
  world.size = index + 1 + random() % (leaves.size() - index);
  auto const purges = 1 + random() % (index - 1);
  certify(world, index, purges_of(purges), index - purges);
  return world;
}

/// Makes the certificate anew, of a log whose record says `purges`.
void certify_as(World& world, std::string const& purges) {
  auto const index = world.bundle.events[0].index;
  Leaf& leaf = world.log.leaves[index];
  leaf.line = leaf.line.substr(0, leaf.line.find(",\"purges\"")) + "}";
  certify(world, index, purges, world.bundle.before->tree.size);
}

std::vector<std::pair<std::string, Tamper>> const& certificate_tampers() {
  static std::vector<std::pair<std::string, Tamper>> const list = {
      {"certificate", of_parts([](World&, Random&) {})},
      {"certificate without its record", of_parts([](World& world, Random&) { world.bundle.events[0].record.reset(); })},
      {"flipped root before", of_parts([](World& world, Random& random) { flip_digest(world.bundle.before->tree.root, random); })},
      {"flipped size before", of_parts([](World& world, Random& random) { world.bundle.before->tree.size ^= std::uint64_t{1} << random() % 50; })},
      {"flipped extension", of_parts([](World& world, Random& random) {
         auto& proof = world.bundle.before->proof;
         if (!proof.empty()) flip_digest(proof[random() % proof.size()], random);
       })},
      {"truncated extension", of_parts([](World& world, Random&) {
         auto& proof = world.bundle.before->proof;
         if (!proof.empty()) proof.pop_back();
       })},
      {"longer extension", of_parts([](World& world, Random& random) { world.bundle.before->proof.push_back(random_digest(random)); })},
      {"tree before that hides an event", of_parts([](World& world, Random&) {
         world.bundle.before = world.log.before(world.bundle.before->tree.size + 1, world.size);
       })},
      {"record of no erasure", of_parts([](World& world, Random&) { certify_as(world, ""); })},
      {"record of another number", of_parts([](World& world, Random& random) {
         auto const index = world.bundle.events[0].index;
         certify_as(world, purges_of(index - world.bundle.before->tree.size + 1 + random() % 3));
       })},
      {"record with a number that is none", of_parts([](World& world, Random& random) {
         constexpr std::string_view forms[] = {",\"purges\":\"1\"", ",\"purges\":-1", ",\"purges\":1.5",
                                               ",\"purges\":null", ",\"purges\":true", ",\"purges\":[1]"};
         certify_as(world, std::string{forms[random() % std::size(forms)]});
       })},
      {"version that records an erasure", of_parts([](World& world, Random&) {
         auto const index = world.bundle.events[0].index;
         Leaf& leaf = world.log.leaves[index];
         leaf.line = replaced(leaf.line, "\"put\"", "\"version\"");
         certify_as(world, purges_of(index - world.bundle.before->tree.size));
       })},
      {"bundle that calls itself a certificate", [](World& world, Random&) {
         world.bundle.before.reset();
         return replaced(format_bundle(world.bundle), "whence-proof-1", "whence-erasure-1");
       }},
      {"certificate in another form", [](World& world, Random&) {
         constexpr std::pair<std::string_view, std::string_view> forms[] = {
             {"\\n\\n\u2014", "\\n\\n-"}, {"erasure-1", "proof-1"}, {"erasure-1", "erasure-2"}, {"\"before\":{", "\"before\":{\"more\":1,"},
             {"\"before\":{", "\"before\":[{\"a\":1}],\"more\":{"}, {"\"size\":", "\"sizes\":"},
             {"\"size\":", "\"size\":\"\",\"x\":"}, {"\"root\":\"", "\"root\":\"="}, {"\"extension\":[", "\"extension\":[1,"},
             {"\"extension\":[", "\"extension\":1,\"more\":["}};
         static std::size_t turn = 0;  // so that none is left out by chance
         auto const& form = forms[turn++ % std::size(forms)];
         return replaced(format_bundle(world.bundle), form.first, form.second);
       }},
  };
  return list;
}

/// True ways to write the same bundle, or one that says less.
std::string true_text(World& world, Random& random) {
  switch (random() % 5) {
    case 0:
      return replaced(replaced(format_bundle(world.bundle), "{\"format\"", " {\n\"format\" "), ",\"events\"",
                      "\t,\"\\u0065vents\"");
    case 1:
      for (BundleEvent& each : world.bundle.events) {
        if (each.index >= world.key_changes) each.record.reset();
      }
      break;
    case 2:
      while (world.bundle.events.size() > 1 + world.key_changes && random() % 2 == 0) world.bundle.events.pop_back();
      break;
    default:
      break;
  }
  return format_bundle(world.bundle);
}

void append_case(std::string& out, std::string_view name, bool is_true, World const& world, std::string const& text) {
  auto const report = verify_bundle(text, world.trusted);
  json::Writer writer{out};
  writer.begin_object().member("case", name).member("is_true", is_true).key("keys").begin_array();
  for (VerifierKey const& each : world.trusted) writer.value(std::string_view{each.text()});
  writer.end_array().member("bundle", std::string_view{encode_base64(text)}).key("report");
  append_report(out, report);
  out.append("}\n");
}

int print_bundles(std::uint64_t seed, std::uint64_t count) {
  Random random{seed};
  std::uint64_t certificates = 0;
  for (std::uint64_t each = 0; each < count; ++each) {
    std::string out;
    if (each % 4 == 3) {
      auto const which = certificates++ % certificate_tampers().size();
      auto world = certificate_world(random);
      auto const before = format_bundle(world.bundle);
      auto const& tamper = certificate_tampers()[which];
      auto const text = tamper.second(world, random);
      append_case(out, tamper.first, text == before || which == 1, world, text);
      std::cout << out;
      continue;
    }
    auto const i = each - certificates;
    auto world = random_world(random);
    if (i % 3 == 0) {
      auto const text = true_text(world, random);
      append_case(out, "true", true, world, text);
    } else {
      auto const before = format_bundle(world.bundle);
      auto const trusted = world.trusted;
      auto const& tamper = tampers()[(i / 3 * 2 + i % 3 - 1) % tampers().size()];
      auto const text = tamper.second(world, random);
      append_case(out, tamper.first, text == before && world.trusted == trusted, world, text);
    }
    std::cout << out;
  }
  return 0;
}

int print_report(int count, char** texts) {
  std::vector<VerifierKey> keys;
  for (int i = 0; i < count; ++i) keys.push_back(VerifierKey::parse(texts[i]).value());
  std::string const text{std::istreambuf_iterator<char>{std::cin}, {}};
  std::string out;
  append_report(out, verify_bundle(text, keys));
  std::cout << out << '\n';
  return 0;
}

std::string bytes_of_hex(std::string const& hex) {
  std::string bytes;
  for (std::size_t i = 0; hex != "-" && i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

int print_signatures() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words{line};
    std::string key;
    std::string message;
    std::string signature;
    words >> key >> message >> signature;
    auto const digest = digest_from_hex(key).value();
    std::cout << verify_ed25519(digest.bytes, bytes_of_hex(message), bytes_of_hex(signature)) << '\n';
  }
  return 0;
}

}  // namespace
}  // namespace whence::test

int main(int argc, char** argv) {
  using namespace whence::test;
  std::string_view const mode = argc > 1 ? argv[1] : "";
  if (mode == "bundles" && argc == 4) {
    return print_bundles(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  }
  if (mode == "report" && argc > 2) return print_report(argc - 2, argv + 2);
  if (mode == "ed25519" && argc == 2) return print_signatures();
  std::cerr << "usage: proof_cases bundles SEED COUNT | report KEY... | ed25519\n";
  return 2;
}
