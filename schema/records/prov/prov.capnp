# The content of records from PROV documents of others as the store keeps it. What holds for every struct is in
# schema/stored/records.capnp. The id is not here: the graph row has it.
@0x87fcdda80944fe0c;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("whence::schema::stored::wire");

struct ProvNode {
  # A thing of a PROV document: an entity, an activity or an agent, as the graph row says.
  qname @0 :Text;
  # Its name as written, 1 to 65536 code points.
  attributes @1 :Text;
  # As PROV-JSON has them: a JSON object or an array of such, compact text with sorted keys, at most 1 MiB; a number with
  # a point or exponent is a double. Null where nothing declares the thing. A reader must not assume that it knows any member.
  bundle @2 :Text;
  # Name of the bundle it is in, as written; null outside of bundles.
  bundleIri @3 :Text;
  # The same in full; null exactly where bundle is.
  prefixes @4 :List(Prefix);
  # Those that its names use, in byte order of prefix, each once. A reader must not assume that every prefix met is here.
  isOnlyMentioned @5 :Bool;
  # Whether nothing declares it. Default no.
  relations @6 :List(Relation);
  # Those it is the subject of; null where there are none. A later content has them too, in this order, before its own. An
  # edge names its relation by its place among those of this list that have its type and its other end.

  struct Prefix {
    name @0 :Text;
    # "default" for names without one.
    iri @1 :Text;
    # The IRI that it abbreviates.
  }

  struct Relation {
    name @0 :Text;
    # As PROV-JSON calls it, such as "used". A reader must not assume that it knows it.
    id @1 :Text;
    # Its own name as written; null where it has none. What begins "_:" names nothing outside its document.
    place @2 :Int32;
    # Its place in the array that its name maps to, from 0; meaningless unless hasPlace.
    hasPlace @3 :Bool;
    # Whether its name maps to an array. Default no.
    other @4 :Text;
    # Ref of its object; null where it has none. A reader must not assume that it is there.
    others @5 :List(Text);
    # Refs, where its object is a list; else null.
    attributes @6 :Text;
    # Its arguments and attributes: a JSON object, written like that of the thing.
    further @7 :List(Text);
    # Refs of what further arguments name: a starter, an ender, a plan, the activity of a derivation; else null.
  }
}
