import "./style/main.css";
