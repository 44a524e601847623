// Text as content or attribute of XML. Pure.
#pragma once

#include <string>
#include <string_view>

namespace windlass {

std::string xml_escaped(std::string_view text);

}  // namespace windlass
