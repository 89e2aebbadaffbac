// One file, written when everything is there.

#include "tools/cli/cases/write.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "store/files/destination.hpp"
#include "tools/cli/cases/form.hpp"
#include "tools/cli/cases/gather.hpp"
#include "tools/cli/exports/run.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

using net::plain_text::cell;

/// What the log proves now; of an answer that it proves nothing of, why: an answer of the past may be deleted.
struct CaseProof {
  std::optional<boost::json::object> proof = {};
  boost::json::array unproven = {};

  void leave_out(std::string const& ref, CallError const& why) {
    unproven.push_back(boost::json::object{{"ref", ref}, {"why", why.message}});
  }
};

/// Of the answers, of all they rest on, and of what the case shows besides, `shown`.
CaseProof find_proof(Caller& caller, std::vector<std::string> const& refs, boost::json::array const& shown) {
  CaseProof found;
  auto const checkpoint = caller.call("log.checkpoint", boost::json::object{});
  if (!checkpoint) {
    for (auto const& ref : refs) found.leave_out(ref, checkpoint.error());
    return found;
  }
  boost::json::array bundles;
  for (auto const& ref : refs) {
    boost::json::object params{{"ref", ref}, {"why", true}};
    if (bundles.empty()) params["beside"] = shown;
    auto bundle = caller.call("log.bundle", params);
    // What is shown of the past may be gone now, or be too much: then the answer and what it rests on.
    if (!bundle && params.erase("beside") > 0) bundle = caller.call("log.bundle", params);
    if (bundle) {
      bundles.emplace_back(schema::json::to_text(*bundle));
    } else {
      found.leave_out(ref, bundle.error());
    }
  }
  if (bundles.empty()) return found;
  found.proof =
      boost::json::object{{"keys", boost::json::array{checkpoint->at("key")}}, {"bundles", std::move(bundles)}};
  return found;
}

CallResult<std::string> make_case(CaseCommand const& command, Io& io) {
  boost::json::object moment;
  if (auto const put = put_param(moment, command.as_of); !put) {
    return CallError{.exit = ExitCode::usage, .message = put.error().message};
  }
  auto form = find_case_form(command.target);
  if (!form) return form.error();
  auto const caller = open_caller(command.target, MissingStore::is_error, timeout_default);
  if (!caller) return caller.error();
  auto const made = schema::format_rfc3339(schema::SystemClock().now());
  auto data = gather_case(**caller, command.refs, std::move(moment), made);
  if (!data) return data.error();
  auto found = find_proof(**caller, command.refs, refs_in_case(*data));
  for (auto const& each : found.unproven) {
    auto const& answer = each.get_object();
    io.talk << "whence: the case has no proof of " << net::plain_text::shown(cell(answer, "ref")) << ": "
            << net::plain_text::shown(cell(answer, "why")) << '\n';
  }
  if (!found.unproven.empty()) (*data)["unproven"] = std::move(found.unproven);
  return filled_case(std::move(*form), boost::json::value(std::move(*data)), std::move(found.proof));
}

}  // namespace

CallResult<void> write_case(CaseCommand const& command, Io& io) {
  if (command.refs.size() > case_refs_max) {
    return CallError{.exit = ExitCode::usage,
                     .message = "--ref: a case has at most " + std::to_string(case_refs_max) + " answers"};
  }
  using store::Destination;
  std::optional<Destination> file;
  if (command.path != "-") {
    auto created = Destination::create(command.path, Destination::Shape::file, {.is_allowed = command.may_replace});
    if (!created) {
      return call_error(created.error());
    }
    file.emplace(std::move(*created));
  }
  auto const text = make_case(command, io);
  if (!text) return text.error();
  if (!file) {
    io.data << *text;
    return {};
  }
  try {
    auto const sink = file->open({});
    sink->write(*text);
    static_cast<void>(sink->finish());
    file->commit();
  } catch (std::system_error const& failed) {
    bool const is_taken = failed.code() == std::errc::file_exists;
    return CallError{.exit = is_taken ? ExitCode::conflict : ExitCode::failure, .message = failed.what()};
  }
  return {};
}

}  // namespace whence::tools
