// JSON-RPC 2.0 read and written.

#include "net/rpc/envelope.hpp"

#include "net/base/errors.hpp"
#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

namespace {

using Moment = std::chrono::steady_clock::time_point;

constexpr std::string_view null_id = "null";

std::string_view view(boost::json::string const& text) {
  return {text.data(), text.size()};
}

Request refused(Errc code, std::string message) {
  return {.id = std::string{null_id}, .refusal = Error{.code = code, .message = std::move(message)}};
}

// The id as it goes back, or nothing where it is neither text nor an integer.
std::optional<std::string> id_text(boost::json::value const& id) {
  if (id.is_double()) {
    double const number = id.get_double();
    constexpr auto exact_max = static_cast<double>(schema::limits::integer_max);
    if (number != std::trunc(number) || std::abs(number) > exact_max) return std::nullopt;
  } else if (!id.is_string() && !id.is_int64() && !id.is_uint64()) {
    return std::nullopt;
  }
  return schema::json::to_text(id);
}

// Takes `params` out of the request's object. Left out and null are the same.
std::optional<Error> take_params(boost::json::object& object, Request& request) {
  auto const found = object.find("params");
  if (found == object.end() || found->value().is_null()) return std::nullopt;
  if (found->value().is_object()) {
    request.params = std::move(found->value().get_object());
    return std::nullopt;
  }
  return error_from(Violation{.code = Errc::invalid_params,
                              .rule = "type",
                              .path = "",
                              .seen = found->value().is_array() ? "array" : "scalar",
                              .message = "params must be an object of named members"});
}

bool is_response(boost::json::object const& object) {
  return !object.contains("method") && (object.contains("result") || object.contains("error"));
}

Request parse_request(boost::json::object& object) {
  Request request;
  if (auto const id = object.find("id"); id != object.end()) {
    auto text = id_text(id->value());
    if (!text) return refused(Errc::invalid_request, "id must be a string or an integer");
    request.id = std::move(*text);
  }
  auto const refuse = [&](std::string message) {
    if (request.id.empty()) request.id = null_id;
    request.refusal = Error{.code = Errc::invalid_request, .message = std::move(message)};
    return std::move(request);
  };
  auto const version = object.find("jsonrpc");
  bool const is_version_2 =
      version != object.end() && version->value().is_string() && view(version->value().get_string()) == "2.0";
  if (!is_version_2) return refuse("jsonrpc must be \"2.0\"");
  auto const method = object.find("method");
  if (method == object.end() || !method->value().is_string()) return refuse("method must be a string");
  request.method = view(method->value().get_string());
  request.refusal = take_params(object, request);
  return request;
}

constexpr std::string_view params_prefix = "/params/";

// Refuses the request for what stands beside its params. What is wrong with the request is said once; a notification
// is answered here as one without a method is.
void refuse_beside(Request& request, std::string_view pointer, std::string_view rule, std::string_view message) {
  if (request.id.empty()) request.id = null_id;
  bool const has_invalid_request = request.refusal && request.refusal->code == Errc::invalid_request;
  if (has_invalid_request) return;
  request.refusal = error_from(Violation{.code = Errc::invalid_request,
                                         .rule = std::string(rule),
                                         .path = std::string(pointer),
                                         .message = std::string(message)});
}

// Hands the request the pointers that lie below its params, relative to them. A member beside them that is named twice
// is one thing to this reader and another to a reader before it: the request is refused.
void add_duplicate(Request& request, std::string_view pointer) {
  if (pointer.starts_with(params_prefix)) {
    request.duplicates.emplace_back(pointer.substr(params_prefix.size() - 1));
    return;
  }
  if (pointer == "/id") request.id = null_id;  // which of the two is waited for is not known
  refuse_beside(request, pointer, "duplicate_member", "is named twice");
}

// Refuses the request where a number of its params is not the one that was sent. What it answers would be about
// another.
void add_inexact(Request& request, std::string_view pointer) {
  if (!pointer.starts_with(params_prefix)) {
    return refuse_beside(request, pointer, schema::json::inexact_rule, schema::json::inexact_message);
  }
  if (!request.refusal) request.refusal = Error{.code = Errc::invalid_params};
  auto& violations = request.refusal->violations;
  if (request.refusal->code != Errc::invalid_params || violations.size() >= schema::limits::violations_max) return;
  violations.push_back({.code = Errc::invalid_params,
                        .rule = std::string(schema::json::inexact_rule),
                        .path = std::string(pointer.substr(params_prefix.size() - 1)),
                        .message = std::string(schema::json::inexact_message)});
  if (request.refusal->message.empty()) {
    request.refusal->message = violations.front().path + " " + violations.front().message;
  }
}

// Refuses the request where the message has more places that break a rule than were named, and none of those named is
// the request's.
void refuse_unnamed(Request& request) {
  if (request.refusal || !request.duplicates.empty()) return;
  request.refusal = Error{.code = Errc::invalid_request,
                          .message =
                              "the message has too many members that occur twice, or integers beyond 64 bits, to "
                              "name them"};
}

void add_request(Message& message, boost::json::value& element) {
  if (!element.is_object()) {
    message.requests.push_back(refused(Errc::invalid_request, "a request must be an object"));
  } else if (!is_response(element.get_object())) {
    message.requests.push_back(parse_request(element.get_object()));
  }
}

// The pointers that begin with each element's place.
std::vector<std::vector<std::string_view>> by_element(std::vector<std::string> const& pointers, std::size_t elements) {
  std::vector<std::vector<std::string_view>> sorted(elements);
  for (std::string const& pointer : pointers) {
    std::size_t place = elements;
    char const* const end = pointer.data() + pointer.size();
    auto const parsed = std::from_chars(pointer.data() + 1, end, place);
    if (place < elements) sorted[place].emplace_back(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  }
  return sorted;
}

// `size` is that of the batch as it came; `document` may lack what is beyond `batch_max`.
Message parse_batch(schema::json::Document& document, std::size_t size, std::size_t batch_max) {
  auto& elements = document.value.get_array();
  Message message;
  if (elements.empty() || size > batch_max) {
    message.requests.push_back(refused(Errc::invalid_request, "a batch must hold 1 to " + std::to_string(batch_max) +
                                                                  " requests, not " + std::to_string(size)));
    return message;
  }
  message.is_batch = true;
  message.requests.reserve(elements.size());
  auto const named_twice = by_element(document.duplicates, elements.size());
  auto const inexact = by_element(document.inexact, elements.size());
  for (std::size_t place = 0; place < elements.size(); ++place) {
    std::size_t const before = message.requests.size();
    add_request(message, elements[place]);
    if (message.requests.size() == before) continue;
    message.requests.back().place = place;
    for (std::string_view const pointer : named_twice[place]) add_duplicate(message.requests.back(), pointer);
    for (std::string_view const pointer : inexact[place]) add_inexact(message.requests.back(), pointer);
    if (document.has_more_places) refuse_unnamed(message.requests.back());
  }
  return message;
}

Message take_apart(schema::json::Document& document, std::size_t size, std::size_t batch_max) {
  if (document.value.is_array()) return parse_batch(document, size, batch_max);
  Message message;
  add_request(message, document.value);
  if (message.requests.empty()) return message;
  Request& request = message.requests.front();
  for (std::string const& pointer : document.duplicates) add_duplicate(request, pointer);
  for (std::string const& pointer : document.inexact) add_inexact(request, pointer);
  if (document.has_more_places) refuse_unnamed(request);
  return message;
}

Message refused_message(Error const& error) {
  Message message;
  message.requests.push_back(refused(error.code, error.message));
  return message;
}

void stamp(Message& message, std::string_view text, Moment received) {
  for (Request& request : message.requests) {
    request.received = received;
    request.bytes = text.size();
  }
}

std::string too_many_values() {
  return "holds more than " + std::to_string(schema::json::values_max) + " values";
}

Error too_many_values_at(std::string path) {
  return error_from(Violation{.code = Errc::limit_exceeded,
                              .rule = "size",
                              .path = std::move(path),
                              .message = too_many_values() + ", with what is before it"});
}

// Refuses what the document lacks.
void refuse_cut(Message& message, std::string_view cut) {
  bool const is_of_params = !message.is_batch && cut.starts_with(params_prefix) && !message.requests.empty();
  if (!is_of_params) {
    message = refused_message({.code = Errc::limit_exceeded, .message = "the message " + too_many_values()});
  } else if (Request& request = message.requests.front(); !request.refusal) {
    request.refusal = too_many_values_at(std::string(cut.substr(params_prefix.size() - 1)));
  }
}

std::size_t items_of(boost::json::value const& value) {
  return value.is_array() ? value.get_array().size() : 0;
}

// What replaces an array that stayed text. A later member of the same name may have taken it.
boost::json::value* find_placeholder(boost::json::object& params, std::string_view name) {
  auto* const value = params.if_contains(name);
  bool const is_there = value != nullptr && value->is_array() && value->get_array().size() == 1;
  return is_there && value->get_array().front().is_null() ? value : nullptr;
}

// Both are ordered by place.
void hand_over(Message& message, std::vector<schema::json::TextArray> const& arrays) {
  auto request = message.requests.begin();
  for (auto const& each : arrays) {
    while (request != message.requests.end() && request->place < each.request) ++request;
    if (request == message.requests.end()) return;
    if (request->place == each.request && find_placeholder(request->params, each.name) != nullptr) {
      request->arrays.push_back(each);
    }
  }
}

}  // namespace

Message parse_message(std::string_view text, std::size_t batch_max, Moment received) {
  auto document = schema::json::parse(text);
  Message message =
      document ? take_apart(*document, items_of(document->value), batch_max) : refused_message(document.error());
  stamp(message, text, received);
  return message;
}

Message parse_large_message(std::string_view text, std::size_t batch_max, Moment received,
                            std::span<std::string_view const> names) {
  auto document = schema::json::parse_partly(text, {.names = names, .root_items_max = batch_max});
  Message message;
  if (!document) {
    message = refused_message(document.error());
  } else {
    message = take_apart(*document, document->root_items, batch_max);
    if (document->cut) refuse_cut(message, *document->cut);
    hand_over(message, document->arrays);
  }
  stamp(message, text, received);
  return message;
}

void read_arrays(Request& request, std::string_view kept) {
  auto const arrays = std::exchange(request.arrays, {});
  for (auto const& each : arrays) {
    if (each.name == kept) {
      request.arrays.push_back(each);
      continue;
    }
    std::string const pointer = "/" + std::string(each.name);
    auto array = schema::json::parse_partly(schema::json::whole_array(each.text));
    if (!array || array->cut) {
      if (!request.refusal) request.refusal = array ? too_many_values_at(pointer + *array->cut) : array.error();
      continue;
    }
    // Those below a name that was found when the message was taken apart are there already.
    for (std::string const& inner : array->duplicates) {
      std::string place = pointer + inner;
      if (std::ranges::find(request.duplicates, place) == request.duplicates.end()) {
        request.duplicates.push_back(std::move(place));
      }
    }
    request.params[each.name] = std::move(array->value);
  }
}

void begin_result(std::string& out, std::string_view id) {
  out.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)");
}

std::string error_response(std::string_view id, Error const& error) {
  std::string out;
  out.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"error":)");
  schema::json::Writer writer(out);
  write_error(writer, error);
  out.push_back('}');
  return out;
}

void begin_notification(std::string& out, std::string_view method) {
  out.append(R"({"jsonrpc":"2.0","method":")").append(method).append(R"(","params":)");
}

}  // namespace whence::net
