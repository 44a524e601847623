// Images in a catalog for tests, without the store that makes them.
#pragma once

#include <string>

#include "images/catalog/catalog.h"
#include "virtual_world/virtual_files.h"

namespace windlass::images {

inline void put_image(virtual_world::VirtualFiles& files, const std::string& directory,
                      const std::string& name, const ImageRecord& record,
                      const std::string& digest = "") {
  const ImageCatalog catalog(files, directory);
  files.put(catalog.image_path(record.id) + "/record", stored_record(record));
  files.put(catalog.name_path(name), record.id + "\n" + digest + "\n");
}

}  // namespace windlass::images
