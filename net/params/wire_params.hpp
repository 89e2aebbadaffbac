#pragma once
// The params that belong to the protocol rather than to a question: what every read takes besides its own, and the
// params of the methods that are no reads. Described once, for parsing and for OpenRPC alike.

#include "net/params/common_params.hpp"
#include "queries/find/params.hpp"
#include "queries/live/match.hpp"
#include "queries/view/params.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/limits.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/proof/signed_note.hpp"
#include "schema/types/ref.hpp"
#include "schema/xml/parts.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

/// Where and when a read looks.
struct ReadParams : TimeoutParams {
  std::optional<queries::AsOf> as_of;
  std::optional<std::uint64_t> min_tx;
};

struct StreamParams {
  std::uint32_t credit = 0;
};

/// How the lists of a read are given.
struct PageParams : ProgressParams {
  std::optional<std::uint32_t> limit;
  std::optional<StreamParams> stream;
};

/// Of a read with pages.
struct CursorParams {
  std::optional<std::string> cursor;
};

/// What `limit` may be. The service's own bound, so not in the table of members.
[[nodiscard]] constexpr schema::Rule limit_rule(std::uint32_t page_max) noexcept {
  return schema::rules::number(1, page_max);
}

/// JSON of any kind, not looked at.
struct AnyJson {
  boost::json::value value;
};

struct HelloParams {
  std::optional<AnyJson> client;
  std::optional<std::vector<std::int64_t>> versions;
  std::optional<std::string> token;
};

/// The elements of `records`, decoded one by one later; views the params it was read from.
struct RecordElements {
  boost::json::array const* elements = nullptr;
};

struct WriteParams : ExpectTxParams, DryRunParams, TimeoutParams {
  RecordElements records;
  std::optional<schema::Mode> mode;
  bool ensure = false;
  bool keep_derived = false;
  std::optional<std::string> idempotency_key;
};

/// Without `idempotency_key`: a repeated deletion answers that its nodes are deleted.
struct DeleteParams : ExpectTxParams, DryRunParams, TimeoutParams {
  std::vector<schema::NodeRef> refs;
  bool force = false;
  std::optional<std::string> reason;
};

/// Of methods that purge.
struct ListParams {
  bool list = false;
};

/// Of `records.purge`.
struct PurgeParams : ListParams, DryRunParams, TimeoutParams {
  std::vector<schema::NodeRef> refs;
  bool cascade = false;
  std::optional<std::string> reason;
};

/// Of `person.erase`.
struct PersonEraseParams : ListParams, DryRunParams, TimeoutParams {
  std::string person;
  std::optional<std::string> reason;
};

/// Of `purge.withdraw`.
struct PurgeProposalParams : DryRunParams, TimeoutParams {
  schema::NodeRef ref;
};

/// Of `purge.confirm`.
struct PurgeConfirmParams : PurgeProposalParams, ListParams {};

/// Of `purge.proposals`.
struct PurgeProposalsParams {
  bool all = false;
};

/// Of `hold.set`: at least one of the four is given.
struct HoldSetParams : DryRunParams, TimeoutParams {
  std::optional<std::vector<schema::NodeRef>> refs;
  std::optional<std::string> person;
  std::optional<std::string> topic;
  std::optional<queries::NodeCountParams> query;
  std::string reason;
};

/// Of `hold.clear`.
struct HoldClearParams : DryRunParams, TimeoutParams {
  std::string id;
  std::string reason;
};

struct ValidateParams {
  std::string xml;
  std::optional<schema::XmlFormat> format;
};

/// Of `xml.build`. The members of the parts may also be given here, instead of under `parts`.
struct BuildParams {
  std::optional<schema::XmlParts> parts;
  std::optional<schema::XmlFormat> format;
};

struct InfoParams {
  std::optional<queries::AsOf> as_of;
};

struct BackupParams : ProgressParams {
  std::string path;
};

/// Of `admin.log`.
struct LogParams {
  std::optional<std::uint64_t> after;
  std::optional<std::uint32_t> bytes;
  std::optional<std::string> kept;
};

struct NoParams {};

/// Of `log.consistency`.
struct ConsistencyParams {
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to;
};

/// Of `log.cosign`.
struct CosignParams {
  std::string note;
};

/// Of `log.rotate`.
struct RotateParams {
  std::optional<std::uint64_t> overlap_s;
};

/// Of `log.proof`: one of `ref` and `leaf`.
struct ProofParams {
  std::optional<schema::NodeRef> ref;
  std::optional<std::uint64_t> leaf;
  std::optional<std::uint64_t> tx;
};

/// Of `log.bundle`: `ref`, or `first_tx` and `last_tx` with or without it.
struct BundleParams {
  std::optional<schema::NodeRef> ref;
  std::optional<bool> why;
  std::optional<std::uint64_t> first_tx;
  std::optional<std::uint64_t> last_tx;
  std::vector<schema::NodeRef> beside = {};
  std::vector<schema::NodeRef> without = {};
  std::vector<schema::RecordType> without_types = {};
};

/// Of `log.checkpoint`.
struct CheckpointParams {
  std::optional<std::uint64_t> tx;
};

/// Of `person.certificate`.
struct CertificateParams {
  schema::NodeRef ref;
};

/// Of `admin.retention`.
struct RetentionParams : DryRunParams {
  std::optional<std::string> reason;
};

/// Of `$/credit`.
struct CreditParams {
  AnyJson id;
  std::uint32_t n = 0;
};

/// Where a subscription starts: after a moment, or after what is there now.
struct Since {
  std::optional<queries::AsOf> moment = {};
};

struct SubscribeParams {
  std::optional<queries::Match> match;
  Since since;
  bool snapshot = false;
  std::vector<queries::EventPart> include;
  std::optional<std::uint32_t> credit;
  std::optional<std::string> epoch;
};

struct UnsubscribeParams {
  std::string sub;
};

/// Of `$/credit` for a subscription.
struct SubscriptionCreditParams {
  std::string sub;
  std::uint32_t n = 0;
};

}  // namespace whence::net

namespace whence::schema {

template <>
struct Describe<net::ReadParams> {
  using T = net::ReadParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("as_of", &T::as_of, Presence::optional, rules::any(),
                "The moment read: a transaction id, or a time (the last transaction at or before it). The head where "
                "left out."),
          field("min_tx", &T::min_tx, Presence::optional, rules::number(0, limits::integer_max),
                "Waits until this transaction is visible."),
      },
      fields_of<net::TimeoutParams>);
};

template <>
struct Describe<net::StreamParams> {
  using T = net::StreamParams;
  static constexpr auto fields = std::tuple{
      field("credit", &T::credit, Presence::required, rules::number(1, limits::int32_max),
            "How many notifications may be sent before more credit is given."),
  };
};

template <>
struct Describe<net::PageParams> {
  using T = net::PageParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("limit", &T::limit, Presence::optional, rules::any(),
                "Items in one answer: 1 to the page limit the server announces, 1000 where left out."),
          field("stream", &T::stream, Presence::optional, rules::any(),
                "Sends the items as `$/partial` notifications before the answer."),
      },
      fields_of<net::ProgressParams>);
};

template <>
struct Describe<net::CursorParams> {
  using T = net::CursorParams;
  static constexpr auto fields = std::tuple{
      field("cursor", &T::cursor, Presence::optional, rules::any(),
            "Goes on where an earlier answer ended, on the same snapshot; all other params may then be left out."),
  };
};

template <>
struct Describe<net::CreditParams> {
  using T = net::CreditParams;
  static constexpr auto fields = std::tuple{
      field("id", &T::id, Presence::required, rules::any(), "The request that is streamed."),
      field("n", &T::n, Presence::required, rules::number(1, limits::int32_max),
            "How many more notifications may come."),
  };
};

template <>
struct Describe<net::HelloParams> {
  using T = net::HelloParams;
  static constexpr auto fields = std::tuple{
      field("client", &T::client, Presence::optional, rules::any(), "The name of the client, for the log."),
      field("versions", &T::versions, Presence::optional, rules::any(), "The protocol versions the client speaks."),
      field("token", &T::token, Presence::optional, rules::any(), "The secret that grants a role."),
  };
};

template <>
struct Describe<net::WriteParams> {
  using T = net::WriteParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("records", &T::records, Presence::required, rules::items(1, std::numeric_limits<std::size_t>::max()),
                "The batch: all of it is taken, or nothing."),
          field("mode", &T::mode, Presence::optional, rules::any(),
                "strict: what breaks a rule is refused; capture: what really happened is recorded and flagged. The "
                "server's own where left out."),
          field("ensure", &T::ensure, Presence::optional, rules::any(),
                "Also makes the Topics and Messages that are named and missing."),
          field("keep_derived", &T::keep_derived, Presence::optional, rules::any(),
                "A copy of what was recorded elsewhere: keywords, subjects and summaries are those of the batch, "
                "whatever its attachments have."),
          field("idempotency_key", &T::idempotency_key, Presence::optional,
                rules::text(1, limits::idempotency_key_bytes_max),
                "1 to 255 bytes: the same batch under the same key is written once and answered alike."),
      },
      fields_of<net::ExpectTxParams, net::DryRunParams, net::TimeoutParams>);
};

inline constexpr Rule removal_reason_rule = rules::text(1, limits::removal_reason_max);
inline constexpr std::string_view removal_reason_doc = "Why: kept in the log, also when the content is gone.";

template <>
struct Describe<net::DeleteParams> {
  using T = net::DeleteParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("refs", &T::refs, Presence::required, rules::items(1, limits::refs_max),
                "The nodes: all of them are deleted, or none."),
          field("force", &T::force, Presence::optional, rules::any(), "Deletes context units that responses use, too."),
          field("reason", &T::reason, Presence::optional, removal_reason_rule, removal_reason_doc),
      },
      fields_of<net::ExpectTxParams, net::DryRunParams, net::TimeoutParams>);
};

template <>
struct Describe<net::ListParams> {
  using T = net::ListParams;
  static constexpr auto fields = std::tuple{
      field("list", &T::list, Presence::optional, rules::any(),
            "Also answers what must stay gone of what is named, so that a restored backup can lose it again."),
  };
};

template <>
struct Describe<net::PurgeParams> {
  using T = net::PurgeParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("refs", &T::refs, Presence::required, rules::items(1, limits::refs_max),
                "The records, deleted ones too: what all of them say is removed, or nothing."),
          field("cascade", &T::cascade, Presence::optional, rules::any(),
                "Purges responses and answers, too, that were made from nothing else."),
          field("reason", &T::reason, Presence::optional, removal_reason_rule, removal_reason_doc),
      },
      fields_of<net::ListParams, net::DryRunParams, net::TimeoutParams>);
};

template <>
struct Describe<net::PersonEraseParams> {
  using T = net::PersonEraseParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("person", &T::person, Presence::required, rules::text(1, queries::person_name_max),
                "The id of a Person, or the name as records give it."),
          field("reason", &T::reason, Presence::optional, removal_reason_rule, removal_reason_doc),
      },
      fields_of<net::ListParams, net::DryRunParams, net::TimeoutParams>);
};

template <>
struct Describe<net::PurgeProposalParams> {
  using T = net::PurgeProposalParams;
  static constexpr auto fields =
      std::tuple_cat(std::tuple{field("ref", &T::ref, Presence::required, rules::any(),
                                      "The proposal, as records.purge or person.erase answered it.")},
                     fields_of<net::DryRunParams, net::TimeoutParams>);
};

template <>
struct Describe<net::PurgeConfirmParams> {
  static constexpr auto fields = fields_of<net::PurgeProposalParams, net::ListParams>;
};

template <>
struct Describe<net::PurgeProposalsParams> {
  using T = net::PurgeProposalsParams;
  static constexpr auto fields = std::tuple{
      field("all", &T::all, Presence::optional, rules::any(), "Also those that nobody can confirm any more."),
  };
};

template <>
struct Describe<net::HoldSetParams> {
  using T = net::HoldSetParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("refs", &T::refs, Presence::optional, rules::items(1, limits::held_refs_max),
                "Refs of nodes that stay."),
          field("person", &T::person, Presence::optional, rules::text(1, queries::person_name_max),
                "Everything of this Person stays: the id, or the name as records give it."),
          field("topic", &T::topic, Presence::optional, rules::id(), "Everything of this Topic stays."),
          field("query", &T::query, Presence::optional, rules::any(),
                "Records of a type that match when they would be removed stay."),
          field("reason", &T::reason, Presence::required, rules::text(1, limits::feedback_text_max), "Why."),
      },
      fields_of<net::DryRunParams, net::TimeoutParams>);
};

template <>
struct Describe<net::HoldClearParams> {
  using T = net::HoldClearParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("id", &T::id, Presence::required, rules::id(), "The id of a Hold."),
          field("reason", &T::reason, Presence::required, rules::text(1, limits::feedback_text_max), "Why it ends."),
      },
      fields_of<net::DryRunParams, net::TimeoutParams>);
};

template <>
struct Describe<net::ValidateParams> {
  using T = net::ValidateParams;
  static constexpr auto fields = std::tuple{
      field("xml", &T::xml, Presence::required, rules::any(), "The text of the document."),
      field("format", &T::format, Presence::optional, rules::any(),
            "Which document is expected; what its root says where left out."),
  };
};

template <>
struct Describe<net::BuildParams> {
  using T = net::BuildParams;
  static constexpr auto fields = std::tuple{
      field("parts", &T::parts, Presence::optional, rules::any(),
            "The parts of the document, as xml.validate answers them; or give their members here themselves."),
      field("format", &T::format, Presence::optional, rules::any(), "Which document; needed where `parts` lacks it."),
  };
};

template <>
struct Describe<net::InfoParams> {
  using T = net::InfoParams;
  static constexpr auto fields = std::tuple{
      field("as_of", &T::as_of, Presence::optional, rules::any(),
            "The moment whose nodes and edges are counted. The head where left out."),
  };
};

template <>
struct Describe<net::RetentionParams> {
  using T = net::RetentionParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{field("reason", &T::reason, Presence::optional, removal_reason_rule, removal_reason_doc)},
      fields_of<net::DryRunParams>);
};

template <>
struct Describe<net::BackupParams> {
  using T = net::BackupParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("path", &T::path, Presence::required, rules::text(1, 4096),
                "Absolute path of a directory on the server that does not exist yet."),
      },
      fields_of<net::ProgressParams>);
};

template <>
struct Describe<net::LogParams> {
  using T = net::LogParams;
  static constexpr auto fields = std::tuple{
      field("after", &T::after, Presence::optional, rules::number(0, limits::integer_max),
            "The last transaction that the caller has. None where left out."),
      field("bytes", &T::bytes, Presence::optional, rules::number(0, 16'777'216),
            "After so many bytes no further transaction is added: 4 MiB where left out, 0: none is."),
      field("kept", &T::kept, Presence::optional, rules::text(1, 4096),
            "Where the caller keeps everything up to `after`: the server notes it as its last backup."),
  };
};

template <>
struct Describe<net::ConsistencyParams> {
  using T = net::ConsistencyParams;
  static constexpr auto fields = std::tuple{
      field("from", &T::from, Presence::required, rules::number(1, limits::integer_max),
            "The size of the checkpoint that the caller has. Of a tree of no events there is nothing to prove."),
      field("to", &T::to, Presence::optional, rules::number(1, limits::integer_max),
            "The size of a later one; of the newest where left out."),
  };
};

template <>
struct Describe<net::CosignParams> {
  using T = net::CosignParams;
  static constexpr auto fields = std::tuple{
      field("note", &T::note, Presence::required, rules::text(1, proof::note_bytes_max),
            "A checkpoint of this log, with its signature and those of witnesses (C2SP tlog-cosignature)."),
  };
};

template <>
struct Describe<net::RotateParams> {
  using T = net::RotateParams;
  static constexpr auto fields = std::tuple{
      field("overlap_s", &T::overlap_s, Presence::optional, rules::number(0, 31'536'000),
            "For so many seconds the key before signs too: 7 days where left out, 0: it stops at once."),
  };
};

template <>
struct Describe<net::ProofParams> {
  using T = net::ProofParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::optional, rules::any(), "The node whose event it is; else `leaf`."),
      field("leaf", &T::leaf, Presence::optional, rules::number(0, limits::integer_max),
            "The place of the event in the log, from 0; else `ref`."),
      field("tx", &T::tx, Presence::optional, rules::number(1, limits::integer_max),
            "With `ref`: the transaction of the event; that of its newest where left out."),
  };
};

template <>
struct Describe<net::BundleParams> {
  using T = net::BundleParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::optional, rules::any(), "The record that is proved; else `first_tx`."),
      field("why", &T::why, Presence::optional, rules::any(), "With everything that it rests on."),
      field("first_tx", &T::first_tx, Presence::optional, rules::number(1, limits::integer_max),
            "The events from this transaction on; with `ref` or `beside` only those of these records."),
      field("last_tx", &T::last_tx, Presence::optional, rules::number(1, limits::integer_max),
            "With `first_tx`: up to this transaction; the newest where left out."),
      field("beside", &T::beside, Presence::optional, rules::any(), "Further records that are proved with it."),
      field("without", &T::without, Presence::optional, rules::any(),
            "Of these the events go in, the contents do not."),
      field("without_types", &T::without_types, Presence::optional, rules::any(), "The same for types of records."),
  };
};

template <>
struct Describe<net::CheckpointParams> {
  using T = net::CheckpointParams;
  static constexpr auto fields =
      std::tuple{field("tx", &T::tx, Presence::optional, rules::number(1, limits::integer_max),
                       "The tree as it was after this transaction; the newest where left out.")};
};

template <>
struct Describe<net::CertificateParams> {
  using T = net::CertificateParams;
  static constexpr auto fields = std::tuple{field("ref", &T::ref, Presence::required, rules::any(),
                                                  "The record of the erasure, as `person.erase` answered it.")};
};

template <>
struct Describe<net::NoParams> {
  static constexpr auto fields = std::tuple{};
};

template <>
struct Describe<net::SubscribeParams> {
  using T = net::SubscribeParams;
  static constexpr auto fields = std::tuple{
      field("match", &T::match, Presence::optional, rules::any(),
            "Which events are wanted: all that is given must hold. Everything where left out."),
      field("since", &T::since, Presence::optional, rules::any(),
            "A transaction id, a time, or \"now\": events after it are sent. Now where left out."),
      field("snapshot", &T::snapshot, Presence::optional, rules::any(), "Sends the matching state as of then first."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each event."),
      field("credit", &T::credit, Presence::optional, rules::number(0, limits::int32_max),
            "How many events may be sent before `$/credit` grants more; no bound where left out."),
      field("epoch", &T::epoch, Presence::optional, rules::any(),
            "The epoch that `since` was seen in: refused with resume_impossible where the log is another."),
  };
};

template <>
struct Describe<net::UnsubscribeParams> {
  using T = net::UnsubscribeParams;
  static constexpr auto fields = std::tuple{
      field("sub", &T::sub, Presence::required, rules::any(), "The subscription, as `subscribe` answered it."),
  };
};

template <>
struct Describe<net::SubscriptionCreditParams> {
  using T = net::SubscriptionCreditParams;
  static constexpr auto fields = std::tuple{
      field("sub", &T::sub, Presence::required, rules::any(), "The subscription."),
      field("n", &T::n, Presence::required, rules::number(1, limits::int32_max), "How many more events may come."),
  };
};

}  // namespace whence::schema
