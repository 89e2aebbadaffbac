// Keys, notes and checkpoints: published values, what comes back, and what is refused.
#include "schema/proof/signed_note.hpp"

#include "schema/encoding/base64.hpp"
#include "schema/proof/checkpoint.hpp"
#include "schema/proof/tlog_proof.hpp"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using namespace schema;
using namespace schema::proof;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(signed_notes)

std::array<std::uint8_t, 32> seed_of(std::string_view hex) {
  return digest_from_hex(hex).value().bytes;
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16)));
  }
  return bytes;
}

SigningKey key_named(std::string name, std::uint8_t seed = 7, SignatureType type = SignatureType::ed25519) {
  std::array<std::uint8_t, 32> bytes = {};
  bytes.fill(seed);
  return SigningKey::make(std::move(name), bytes, type).value();
}

struct Vector {
  std::string_view secret;
  std::string_view key;
  std::string_view message;
  std::string_view signature;

  friend std::ostream& operator<<(std::ostream& out, Vector const& each) { return out << each.key; }
};

// RFC 8032, section 7.1, TEST 1 to 3.
constexpr Vector signature_vectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
     "655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
     "b00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
     "c027beceea1ec40a"}};

BOOST_DATA_TEST_CASE(signatures_are_those_of_the_rfc, data::make(signature_vectors), each) {
  auto const key = SigningKey::make("rfc8032", seed_of(each.secret)).value();
  auto const message = bytes_of(each.message);
  BOOST_TEST((key.verifier().key == seed_of(each.key)));
  BOOST_TEST(key.sign(message).bytes == bytes_of(each.signature));
  BOOST_TEST(verify_ed25519(key.verifier().key, message, bytes_of(each.signature)));
  BOOST_TEST(!verify_ed25519(key.verifier().key, message + 'x', bytes_of(each.signature)));
  BOOST_TEST(!verify_ed25519(key.verifier().key, message, bytes_of(each.signature).substr(1)));
}

// The example of C2SP's text on signed notes.
constexpr std::string_view example_key = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
constexpr std::string_view example_note =
    "This is an example message.\n\n\u2014 example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

BOOST_AUTO_TEST_CASE(the_published_example_verifies) {
  std::vector<VerifierKey> const keys = {VerifierKey::parse(example_key).value()};
  BOOST_TEST(keys.front().text() == example_key);
  auto note = parse_note(example_note).value();
  BOOST_TEST(format_note(note) == example_note);
  auto const verified = verify_note(note, keys).value();
  BOOST_TEST(verified.size() == 1U);
  note.text.front() = 't';
  BOOST_TEST(verify_note(note, keys).error().code == Errc::forbidden);
}

BOOST_AUTO_TEST_CASE(keys_come_back_from_their_texts) {
  for (auto const type : {SignatureType::ed25519, SignatureType::cosignature}) {
    auto const key = key_named("whence/test", 3, type);
    BOOST_TEST((VerifierKey::parse(key.verifier().text()).value() == key.verifier()));
    auto const again = SigningKey::parse(key.text()).value();
    BOOST_TEST((again.verifier() == key.verifier()));
    BOOST_TEST(again.text() == key.text());
    BOOST_TEST(!SigningKey::parse(key.verifier().text()));
    BOOST_TEST(!VerifierKey::parse(key.text()));
    BOOST_TEST(SigningKey::parse(key.text() + "x").error().message.find(key.text().substr(30)) == std::string::npos);
  }
}

BOOST_DATA_TEST_CASE(other_verifier_keys_are_refused,
                     data::make({"", "a", "a+b", "a+b+c", "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                                 "example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                                 "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                                 "example.com/fop+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                                 "example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
                                 "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2",
                                 "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k="}),
                     text) {
  BOOST_TEST(VerifierKey::parse(text).error().code == Errc::invalid_params);
}

BOOST_AUTO_TEST_CASE(names_have_no_spaces_controls_and_pluses) {
  for (std::string_view const name : {"a", "whence/x", "\u00FC", "\x7F", "a\u200Bb"})
    BOOST_TEST(is_key_name(name), name);
  for (std::string_view const name :
       {"", "a b", "a+b", "a\u00A0b", "a\u2003b", "a\u3000", "a\tb", "a\nb", "\xFF", "\u0085"}) {
    BOOST_TEST(!is_key_name(name), name);
    BOOST_TEST(!SigningKey::make(std::string{name}, {}).has_value());
  }
}

std::string with(std::string_view from, std::string_view to) {
  std::string text{example_note};
  return text.replace(text.find(from), from.size(), to);
}

BOOST_AUTO_TEST_CASE(other_notes_are_refused) {
  std::vector<std::string> const notes = {
      "",
      "\n",
      "\n\n",
      "text\n\n",
      "text\n",
      std::string{example_note} + "\n",
      std::string{example_note.substr(0, example_note.size() - 1)},
      with("\n\n", "\n"),
      with("\u2014", "-"),
      with("\u2014 ", "\u2014"),
      with("\u2014 ", "\u2014  "),
      with("foo Uw", "foo  Uw"),
      with("QM=", "QM"),
      with("QM=", "QN="),
      with("QM=", "QM=="),
      with("QM=\n", "QM= \n"),
      with("message", "mess\tage"),
      with("message.\n", "message.\r\n"),
      with("message", "mess\xFF"),
      with("example.com/foo ", "example.com/f+o "),
      "text\n\n\u2014 a AAAAAA==\n",  // four bytes: an id without a signature
      std::string(note_bytes_max, 'a') + std::string{example_note},
  };
  for (auto const& each : notes) BOOST_TEST(parse_note(each).error().code == Errc::parse_error, each.substr(0, 80));
  SignedNote many{.text = "text\n", .signatures = {}};
  many.signatures.assign(note_signatures_max, {.name = "a", .key_id = 1, .bytes = "b"});
  BOOST_TEST((parse_note(format_note(many)).value() == many));
  many.signatures.push_back(many.signatures.front());
  BOOST_TEST(parse_note(format_note(many)).error().code == Errc::parse_error);
}

BOOST_AUTO_TEST_CASE(signatures_of_unknown_keys_are_ignored_and_kept) {
  auto const known = key_named("known");
  auto const same_name = key_named("known", 8);
  auto const witness = key_named("witness", 9, SignatureType::cosignature);
  SignedNote note{.text = "text\n\nmore\n", .signatures = {}};
  note.signatures = {same_name.sign(note.text), known.sign(note.text), witness.sign(note.text, 1'700'000'000)};
  auto const read = parse_note(format_note(note)).value();
  BOOST_TEST((read == note));
  std::vector<VerifierKey> const keys = {witness.verifier(), known.verifier()};
  auto const verified = verify_note(read, keys).value();
  BOOST_TEST_REQUIRE(verified.size() == 2U);
  BOOST_TEST(verified[0].key == 1U);
  BOOST_TEST(!verified[0].time_s.has_value());
  BOOST_TEST(verified[1].key == 0U);
  BOOST_TEST(verified[1].time_s.value() == 1'700'000'000U);
  std::vector<VerifierKey> const stranger = {key_named("other").verifier()};
  BOOST_TEST(verify_note(read, stranger).error().code == Errc::forbidden);
  BOOST_TEST(verify_note(read, {}).error().code == Errc::forbidden);
}

BOOST_AUTO_TEST_CASE(one_bad_signature_of_a_known_key_refuses_the_note) {
  auto const first = key_named("first");
  auto const second = key_named("second", 8);
  SignedNote note{.text = "text\n", .signatures = {}};
  note.signatures = {first.sign(note.text), second.sign("other\n")};
  std::vector<VerifierKey> const one = {first.verifier()};
  std::vector<VerifierKey> const both = {first.verifier(), second.verifier()};
  BOOST_TEST(verify_note(note, one).has_value());
  BOOST_TEST(verify_note(note, both).error().code == Errc::forbidden);
  note.signatures = {first.sign(note.text)};
  note.signatures.front().bytes.pop_back();
  BOOST_TEST(verify_note(note, one).error().code == Errc::forbidden);
}

BOOST_AUTO_TEST_CASE(checkpoints_are_written_and_read) {
  // The example of C2SP's text on checkpoints.
  constexpr std::string_view text =
      "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
  auto const checkpoint = parse_checkpoint(text).value();
  BOOST_TEST(checkpoint.origin == "example.com/behind-the-sofa");
  BOOST_TEST(checkpoint.tree.size == 20852163U);
  BOOST_TEST(format_checkpoint(checkpoint) == text);
  auto const extended = std::string{text} + "more\nand more\n";
  BOOST_TEST(parse_checkpoint(extended).value().extensions == "more\nand more\n");
  BOOST_TEST(format_checkpoint(parse_checkpoint(extended).value()) == extended);
}

BOOST_DATA_TEST_CASE(other_checkpoints_are_refused,
                     data::make({"", "\n", "o\n1\n", "o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
                                 "\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n 1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n9007199254740992\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n18446744073709551616\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
                                 "o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I\n",
                                 "o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n",
                                 "o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jx\n",
                                 "o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n",
                                 "o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\nmore\n"}),
                     text) {
  BOOST_TEST(parse_checkpoint(text).error().code == Errc::parse_error);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_needs_a_signature_by_the_logs_own_name) {
  auto const log = key_named("whence/log");
  auto const other = key_named("witness", 8);
  auto const cosigner = key_named("whence/log", 9, SignatureType::cosignature);
  SignedNote note{.text = format_checkpoint({.origin = "whence/log", .tree = {.size = 3, .root = {}}}),
                  .signatures = {}};
  note.signatures = {other.sign(note.text), log.sign(note.text), cosigner.sign(note.text, 5)};
  auto const bytes = format_note(note);
  std::vector<VerifierKey> const all = {log.verifier(), other.verifier(), cosigner.verifier()};
  auto const verified = verify_checkpoint(bytes, all).value();
  BOOST_TEST(verified.checkpoint.tree.size == 3U);
  BOOST_TEST(verified.signatures.size() == 3U);
  std::vector<VerifierKey> const others = {other.verifier(), cosigner.verifier()};
  BOOST_TEST(verify_checkpoint(bytes, others).error().code == Errc::forbidden);
  BOOST_TEST(verify_checkpoint(example_note, all).error().code == Errc::forbidden);
  BOOST_TEST(verify_checkpoint("text", all).error().code == Errc::parse_error);
}

BOOST_AUTO_TEST_CASE(a_proof_of_one_leaf_is_written_read_and_verified) {
  auto const log = key_named("whence/log");
  Digest const leaves[] = {leaf_hash("a"), leaf_hash("b"), leaf_hash("c")};
  auto const root = node_hash(node_hash(leaves[0], leaves[1]), leaves[2]);
  SignedNote note{.text = format_checkpoint({.origin = "whence/log", .tree = {.size = 3, .root = root}}),
                  .signatures = {}};
  note.signatures = {log.sign(note.text)};
  TlogProof const proof{.index = 1, .proof = {leaves[0], leaves[2]}, .checkpoint = format_note(note)};
  auto const text = format_tlog_proof(proof);
  BOOST_TEST((parse_tlog_proof(text).value() == proof));
  std::string with_extra = text;
  with_extra.insert(with_extra.find("index"), "extra AAAA\n");
  BOOST_TEST((parse_tlog_proof(with_extra).value() == proof));
  std::vector<VerifierKey> const keys = {log.verifier()};
  auto const tree = verify_checkpoint(proof.checkpoint, keys).value().checkpoint.tree;
  BOOST_TEST(tree.size == 3U);
  BOOST_TEST(verify_inclusion(proof.index, tree.size, leaves[1], proof.proof, tree.root));
  BOOST_TEST(!verify_inclusion(proof.index, tree.size, leaves[0], proof.proof, tree.root));
  BOOST_TEST(verify_checkpoint(proof.checkpoint, {}).error().code == Errc::forbidden);
}

BOOST_DATA_TEST_CASE(other_proofs_of_one_leaf_are_refused,
                     data::make({"", "c2sp.org/tlog-proof@v1", "c2sp.org/tlog-proof@v1\n",
                                 "c2sp.org/tlog-proof@v2\nindex 0\n\n", "c2sp.org/tlog-proof@v1\nindex 0\n",
                                 "c2sp.org/tlog-proof@v1\nindex 00\n\n", "c2sp.org/tlog-proof@v1\nindex -1\n\n",
                                 "c2sp.org/tlog-proof@v1\nindex\n\n", "c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\n",
                                 "c2sp.org/tlog-proof@v1\nextra x\nindex 0\n\n",
                                 "c2sp.org/tlog-proof@v1\nindex 0\nextra AAAA\n\n"}),
                     text) {
  BOOST_TEST(parse_tlog_proof(text).error().code == Errc::parse_error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
